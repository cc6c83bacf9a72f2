"""Explanations with true sentences that do not bear on the claim; they replace the whole clean explanation.

The copy has the evidence of both claims. Each of its sentences is in its evidence, and the only error is that it does
not bear on the claim. The other claim is the lexically nearest one that has a usable text.

Limitations: AVeriTeC's train and dev splits are published without pages; the true sentence is therefore one of another
claim's gold answers. Claims of Not Enough Evidence have no copy: their explanation may rest on something that does not
decide.
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
    """A replacement of the clean explanation, and the evidence that it is checked with."""

    text: str
    evidence: list[QAPair]


def replaced(claim: ExplainedClaim, kind: Kind, near: Neighbors) -> Replaced | None:
    """Return the replacement of an explanation; None if no near claim has a usable text."""
    if claim.label == Verdict.NOT_ENOUGH_EVIDENCE or not claim.evidence:
        return None
    for other in near.of(claim):
        text = _justification(other) if kind is Kind.OTHER_JUSTIFICATION else _sentence(claim, other)
        if text:
            return Replaced(text, [*claim.evidence, *other.evidence])
    return None


def _justification(other: ExplainedClaim) -> str:
    """Return a justification that makes a statement; one that only points at its answers would fit any claim."""
    said = " ".join((other.explanation or "").split())
    is_open = other.label == Verdict.NOT_ENOUGH_EVIDENCE
    return said if len(said.split()) >= SHORTEST and not speaks_of_task(said) and not is_open else ""


def _sentence(claim: ExplainedClaim, other: ExplainedClaim) -> str:
    """Return the answers' sentence with most words of the claim, followed by the verdict, as templates write it."""
    texts = (text for piece in pieces(other) if is_answered(piece) for text in sentences(piece.text))
    found = [text for text in texts if text.endswith(".") and SHORTEST <= len(text.split()) <= LONGEST]
    wanted = set(own_words(claim.claim))
    best = max(found, key=lambda text: len(wanted & set(own_words(text))), default="")
    return f"{without_end(best)}; {conclusion(claim.label)}." if best else ""
