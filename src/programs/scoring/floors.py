"""Trivial baselines: the macro-F1 of systems that check nothing, next to every score.

On all of FEVEROUS-S's dev part `refutes` for every claim has 34.37, `supports` 32.27, and "more than one gold sentence:
supports" 83.16.
"""

from collections.abc import Sequence

import msgspec
import numpy as np

from src.claims.labelled import LabelledClaim
from src.evaluation.bootstrap import Floats, once
from src.programs.records import TwoLabel
from src.programs.scoring.two_labels import macro_f1, supported


class Spread(msgspec.Struct, frozen=True):
    """Mean and standard deviation over draws (divided by the number of draws)."""

    mean: float
    deviation: float


class Floors(msgspec.Struct, frozen=True):
    """Macro-F1 of the baselines, 0 to 1. `majority` is the label of most claims.

    `passages` predicts `supports` for claims with more than one gold passage; it is None if no claim has exactly one.
    `novelty` is the baseline of `lexical_novelty.py`; it is None without claims to fit it on.
    """

    majority: str
    all_supports: float
    all_refutes: float
    coin: float
    passages: float | None
    novelty: Spread | None


def floors(golds: Sequence[LabelledClaim], novelty: Sequence[Floats]) -> Floors:
    """Return the baselines on these claims. `novelty` has the guesses of each draw, and may be empty."""
    gold = supported(claim.value for claim in golds)
    passages = np.array([float(len(claim.gold) > 1) for claim in golds])
    drawn = [_score(gold, said) for said in novelty]
    return Floors(
        majority=TwoLabel.SUPPORTS if gold.mean() > 0.5 else TwoLabel.REFUTES,
        all_supports=_score(gold, np.ones_like(gold)),
        all_refutes=_score(gold, np.zeros_like(gold)),
        coin=_score(gold, np.full_like(gold, 0.5)),
        passages=_score(gold, passages) if any(len(claim.gold) == 1 for claim in golds) else None,
        novelty=Spread(float(np.mean(drawn)), float(np.std(drawn))) if drawn else None,
    )


def _score(gold: Floats, said: Floats) -> float:
    return once(macro_f1(gold, said), len(gold))
