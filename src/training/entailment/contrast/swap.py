"""A supported row with a name or number swapped in the claim or in the evidence, or cut out of the evidence."""

from random import Random
from typing import NamedTuple

from src.text import sentences
from src.training.entailment.contrast.changed import is_subject, other_of, pattern_of, swappable
from src.training.entailment.contrast.read_rows import Pool, ReadRow

SAID = 0.75  # share of the swaps that do not change the claim's subject, if both are possible


class Swap(NamedTuple):
    """A swap. `cut` is the evidence without the sentences that have the name or number; it may be empty."""

    claim: str
    changed_claim: str
    evidence: str
    changed_evidence: str
    cut: str
    is_of_subject: bool


def swap_of(one: ReadRow, pool: Pool, draw: Random, *, also_subjects: bool = True) -> Swap | None:
    """Return a drawn swap, or None if nothing can be swapped."""
    spans = swappable(one.claim, one.evidence)
    said = [span for span in spans if not is_subject(span)]
    chosen = said if said and (not also_subjects or draw.random() < SAID) else spans if also_subjects else []
    if not chosen:
        return None
    span = draw.choice(chosen)
    other = other_of(span, one.evidence, pool, draw)
    if other is None:
        return None
    claim, evidence, old = one.claim.text, one.evidence.text, pattern_of(span.text)
    return Swap(
        claim,
        claim[: span.start_char] + other + claim[span.end_char :],
        evidence,
        old.sub(lambda _: other, evidence),
        " ".join(sentence for sentence in sentences(evidence) if not old.search(sentence)),
        is_subject(span),
    )
