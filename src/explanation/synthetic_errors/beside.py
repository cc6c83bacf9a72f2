"""Explanations whose sentences are true and say nothing of the claim: they replace the whole clean one.

The copy has the evidence of both claims, so that each of its sentences is in its evidence: nothing but its bearing is
wrong. The other claim is the nearest one by words that has something to put in.

Limitations: AVeriTeC's train and dev are published without pages, so that the true sentence is one of another claim's
gold answers. A claim of Not Enough Evidence has no copy: its reason may be something that does not decide.
"""

from typing import NamedTuple

from src.explanation.checks.relevance import speaks_of_task
from src.explanation.labels import conclusion
from src.explanation.pieces import is_answered, pieces
from src.explanation.quoted import without_end
from src.explanation.records import ExplainedClaim
from src.explanation.synthetic_errors.kinds import Kind
from src.explanation.synthetic_errors.neighbors import Neighbors
from src.explanation.synthetic_errors.scene import LONGEST, SHORTEST
from src.records import QAPair, Verdict
from src.reranking.hybrid.own_words import own_words
from src.text import sentences


class Replaced(NamedTuple):
    """An explanation in place of the clean one, and the evidence that it is checked with."""

    text: str
    evidence: list[QAPair]


def replaced(claim: ExplainedClaim, kind: Kind, near: Neighbors) -> Replaced | None:
    """Return what a kind puts in place of the explanation; None where no near claim has anything to put in."""
    if claim.label == Verdict.NOT_ENOUGH_EVIDENCE or not claim.evidence:
        return None
    for other in near.of(claim):
        text = _justification(other) if kind is Kind.OTHER_JUSTIFICATION else _sentence(claim, other)
        if text:
            return Replaced(text, [*claim.evidence, *other.evidence])
    return None


def _justification(other: ExplainedClaim) -> str:
    """Return one that says something by itself: one that only points at its answers would fit any claim."""
    said = " ".join((other.explanation or "").split())
    is_open = other.label == Verdict.NOT_ENOUGH_EVIDENCE
    return said if len(said.split()) >= SHORTEST and not speaks_of_task(said) and not is_open else ""


def _sentence(claim: ExplainedClaim, other: ExplainedClaim) -> str:
    """Return the sentence of its answers with most words of the claim, and the verdict as a template writes it."""
    texts = (text for piece in pieces(other) if is_answered(piece) for text in sentences(piece.text))
    found = [text for text in texts if text.endswith(".") and SHORTEST <= len(text.split()) <= LONGEST]
    wanted = set(own_words(claim.claim))
    best = max(found, key=lambda text: len(wanted & set(own_words(text))), default="")
    return f"{without_end(best)}; {conclusion(claim.label)}." if best else ""
