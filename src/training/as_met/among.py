"""Mixing of a claim's passages with those of other claims. The claim's passages may be left out."""

from collections.abc import Iterable, Sequence
from random import Random

import msgspec

from src.records import Verdict
from src.reranking.other_claims import OtherClaims
from src.stance.records import Passage
from src.stance.stacker import MOST
from src.training.as_met.records import MetClaim
from src.training.entailment.restated import restated

RESTATED = 0.3  # share of claims with a passage that repeats the claim
FEWEST, MORE = 2, 6  # the fewest and the most passages of other claims
NEAR = 12  # nearest passages, from which they are drawn


class Others:
    """An index of passages of many claims, for passages of similar other claims. `owned` are claims with a passage.

    Claims that share half of their words may be decided by the same evidence. Their passages are left out.
    """

    def __init__(self, owned: Iterable[tuple[str, Passage]]) -> None:
        self._pool = list(owned)
        self._others = OtherClaims((claim, passage.text) for claim, passage in self._pool)

    def of(self, claim: MetClaim) -> list[Passage]:
        """Return the nearest passages of other claims, without texts that the claim itself has."""
        texts = {passage.text for passage in claim.passages}
        ranked = (self._pool[place][1] for place in self._others.nearest(claim.claim, 4 * NEAR))
        return [one for one in ranked if one.text not in texts][:NEAR]


def among(claim: MetClaim, near: Sequence[Passage], draw: Random, left_out: float = 0.0) -> MetClaim:
    """Return the claim with its passages among some of `near`.

    In a share `left_out` of cases, or if it has none, its own passages are left out, and the label is Not Enough
    Evidence.
    """
    is_left_out = bool(near) and (not claim.passages or draw.random() < left_out)
    shown = [] if is_left_out else claim.passages[:MOST]
    more = min(len(near), draw.randint(FEWEST, MORE), max(0, MOST - 1 - len(shown)))
    shown += draw.sample(list(near), max(more, 1 if is_left_out else 0))
    if draw.random() < RESTATED and len(shown) < MOST:
        shown.append(Passage(restated(claim.claim, draw)))
    draw.shuffle(shown)
    label = Verdict.NOT_ENOUGH_EVIDENCE if is_left_out else claim.label
    return msgspec.structs.replace(claim, passages=shown, label=label)
