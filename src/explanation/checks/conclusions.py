"""Check for sentences that state another verdict than the label, or deny the label."""

from collections.abc import Iterator

from src.explanation.checks.grounds import Grounds
from src.explanation.checks.said_of_claim import FALSE, MIXED, TRUE, UNKNOWN, Said, said_of_claim
from src.explanation.records import Finding
from src.explanation.typology import ErrorType
from src.records import Verdict

_OF_LABEL = {
    Verdict.SUPPORTED: TRUE, "true": TRUE, "supports": TRUE, Verdict.REFUTED: FALSE, "false": FALSE, "refutes": FALSE,
    Verdict.CONFLICTING: MIXED, "half-true": MIXED, Verdict.NOT_ENOUGH_EVIDENCE: UNKNOWN,
}  # fmt: skip


def other_verdicts(sentence: str, place: int, grounds: Grounds) -> Iterator[Finding]:
    claim = grounds.claim
    for said in said_of_claim(sentence):
        if _contradicts(said, _OF_LABEL[claim.label]):
            reason = f"the verdict is {claim.label}"
            yield Finding(claim.claim_id, place, ErrorType.REASONING_COHERENCE, said.span, reason)


def states(text: str, label: str) -> bool:
    """Return True if the text plainly states the verdict of the label."""
    return _OF_LABEL[label] in sides(text)


def other_sides(text: str, label: str) -> frozenset[str]:
    """Return the verdicts that the text plainly states, without the label's."""
    return sides(text) - {_OF_LABEL[label]}


def sides(text: str) -> frozenset[str]:
    """Return the verdicts that the text plainly states: any of true, false, mixed and unknown."""
    return frozenset(said.side for said in said_of_claim(text) if not said.denied)


def _contradicts(said: Said, expected: str) -> bool:
    """Return True if the statement contradicts the expected verdict.

    A denial contradicts only the side that it denies: a claim that is not supported may be refuted or open.
    """
    return said.side == expected if said.denied else said.side != expected
