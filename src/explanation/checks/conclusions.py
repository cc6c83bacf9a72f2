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

_WORDS = {
    "true": ("supported", "true", "correct", "accurate", "confirmed", "proven", "verified"),
    "false": ("refuted", "false", "untrue", "incorrect", "inaccurate", "wrong", "debunked", "disproven"),
    "mixed": ("half true", "half-true", "partly true", "partially true", "misleading", "conflicting"),
}
_SIDE_OF = {word: side for side, words in _WORDS.items() for word in words}
_OF_LABEL = {
    Verdict.SUPPORTED: "true", "true": "true", "supports": "true",
    Verdict.REFUTED: "false", "false": "false", "refutes": "false",
    Verdict.CONFLICTING: "mixed", "half-true": "mixed", Verdict.NOT_ENOUGH_EVIDENCE: "unknown",
}  # fmt: skip
_CLAUSES = {
    conclusion(label).removeprefix("so "): _OF_LABEL[label]
    for label in (Verdict.NOT_ENOUGH_EVIDENCE, Verdict.CONFLICTING)
}  # the conclusions that are not of the form `the claim is`
_CLAUSE = re.compile("|".join(map(re.escape, _CLAUSES)), re.IGNORECASE)
_LINK = r"(?:is|was|seems|appears|remains|has\s+been|can\s+be|should\s+be|must\s+be|would\s+be)(?:\s+to\s+be)?"
_SAID = re.compile(
    rf"(?P<before>\b(?:no\s+evidence|nothing|not|whether|if|never)\b[^.;,]{{0,60}})?"
    rf"\b(?:the|this|that|said)\s+(?:claim|statement|assertion)(?:\s+that\s+[^.;]{{1,150}}?)?\s+{_LINK}(?P<not>\s+not|n['\u2019]t)?"
    rf"(?:\s+(?:clearly|therefore|thus|hence|also|only|completely|entirely))*"
    rf"\s+(?P<word>{'|'.join(sorted(_SIDE_OF, key=len, reverse=True))})\b",
    re.IGNORECASE,
)


def other_verdicts(sentence: str, place: int, grounds: Grounds) -> Iterator[Finding]:
    label = grounds.claim.label
    for found in _SAID.finditer(sentence):
        if found["before"] is None and _contradicts(found, _OF_LABEL[label]):
            yield _finding(found[0], place, grounds)
    for found in _CLAUSE.finditer(sentence):
        if _CLAUSES[found[0].lower()] != _OF_LABEL[label]:
            yield _finding(found[0], place, grounds)


def states(text: str, label: str) -> bool:
    """Whether it says of the claim what the label says, plainly."""
    return _OF_LABEL[label] in sides(text)


def sides(text: str) -> frozenset[str]:
    """What it says of the claim, plainly: true, false, mixed, unknown, some of these or none."""
    said = (found for found in _SAID.finditer(text) if found["not"] is None and found["before"] is None)
    return frozenset((*map(_side, said), *(_CLAUSES[found[0].lower()] for found in _CLAUSE.finditer(text))))


def _finding(span: str, place: int, grounds: Grounds) -> Finding:
    claim = grounds.claim
    return Finding(claim.claim_id, place, ErrorType.REASONING_COHERENCE, span, f"the verdict is {claim.label}")


def _contradicts(found: re.Match[str], expected: str) -> bool:
    """A denial contradicts only the side that it denies: what is not supported may be refuted or open."""
    return _side(found) == expected if found["not"] else _side(found) != expected


def _side(found: re.Match[str]) -> str:
    return _SIDE_OF[" ".join(found["word"].lower().split())]
