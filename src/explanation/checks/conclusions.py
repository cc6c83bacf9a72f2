"""Sentences that state another verdict than the label.

A statement on the claim as such counts: `the claim is supported`, `this statement was false`. What is said of anything
else does not, nor does a denial: what is not supported may be refuted or open.
"""

import re
from collections.abc import Iterator

from src.explanation.checks.grounds import Grounds
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
    rf"\b(?:the|this|that|said)\s+(?:claim|statement|assertion)\s+{_LINK}"
    rf"(?:\s+(?:clearly|therefore|thus|hence|also|mostly|largely|only|completely|entirely))*"
    rf"\s+(?P<word>{'|'.join(sorted(_SIDE_OF, key=len, reverse=True))})\b",
    re.IGNORECASE,
)


def other_verdicts(sentence: str, place: int, grounds: Grounds) -> Iterator[Finding]:
    expected = _LABELS.get(grounds.claim.label, "open")
    for found in _SAID.finditer(sentence):
        if _SIDE_OF[" ".join(found["word"].lower().split())] != expected:
            reason = f"the verdict is {grounds.claim.label}"
            yield Finding(grounds.claim.claim_id, place, ErrorType.REASONING_COHERENCE, found[0], reason)
