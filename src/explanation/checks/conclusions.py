"""Sentences that state another verdict than the label.

A statement on the claim as such counts: `the claim is supported`, `this statement was false`. What is said of anything
else does not, nor does a denial: what is not supported may be refuted or open.
"""

import re
from collections.abc import Iterator

from src.explanation.checks.grounds import Grounds
from src.explanation.labels import conclusion
from src.explanation.records import Finding
from src.explanation.typology import ErrorType
from src.records import Verdict

_SIDES = {
    "true": ("supported", "true", "correct", "accurate", "confirmed", "proven", "verified"),
    "false": ("refuted", "false", "untrue", "incorrect", "inaccurate", "wrong", "debunked", "disproven"),
    "open": ("half true", "half-true", "partly true", "partially true", "misleading", "conflicting"),
}
_SIDE_OF = {word: side for side, words in _SIDES.items() for word in words}
_LABELS = {
    Verdict.SUPPORTED: "true", Verdict.REFUTED: "false", "true": "true", "false": "false", "supports": "true",
    "refutes": "false",
}  # fmt: skip
_LINK = r"(?:is|was|seems|appears|remains|has\s+been|can\s+be|should\s+be|must\s+be|would\s+be)(?:\s+to\s+be)?"
_SAID = re.compile(
    rf"(?P<before>\b(?:no\s+evidence|nothing|not|whether|if|never)\b[^.;,]{{0,60}})?"
    rf"\b(?:the|this|that|said)\s+(?:claim|statement|assertion)(?:\s+that\s+[^.;]{{1,150}}?)?\s+{_LINK}(?P<not>\s+not|n['\u2019]t)?"
    rf"(?:\s+(?:clearly|therefore|thus|hence|also|only|completely|entirely))*"
    rf"\s+(?P<word>{'|'.join(sorted(_SIDE_OF, key=len, reverse=True))})\b",
    re.IGNORECASE,
)


def other_verdicts(sentence: str, place: int, grounds: Grounds) -> Iterator[Finding]:
    expected = _LABELS.get(grounds.claim.label, "open")
    for found in _SAID.finditer(sentence):
        if found["before"] is None and _contradicts(found, expected):
            reason = f"the verdict is {grounds.claim.label}"
            yield Finding(grounds.claim.claim_id, place, ErrorType.REASONING_COHERENCE, found[0], reason)


def states(text: str, label: str) -> bool:
    """Whether it says of the claim what the label says, plainly."""
    if conclusion(label).removeprefix("so ") in text:
        return True
    expected = _LABELS.get(label, "open")
    return any(found["not"] is None and _side(found) == expected for found in _SAID.finditer(text))


def _contradicts(found: re.Match[str], expected: str) -> bool:
    """A denial contradicts only the side that it denies: what is not supported may be refuted or open."""
    return _side(found) == expected if found["not"] else _side(found) != expected


def _side(found: re.Match[str]) -> str:
    return _SIDE_OF[" ".join(found["word"].lower().split())]
