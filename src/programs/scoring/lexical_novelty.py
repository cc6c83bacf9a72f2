"""Lexical baseline: a claim is refuted if too many of its words are missing in its gold evidence.

The threshold is fitted on twenty drawn claims, because the baselines of ProgramFC are trained on twenty. Fifty draws
show how much the result depends on the draw. A system with gold evidence must beat it before it can be said to reason.
"""

from collections.abc import Sequence
from random import Random

import numpy as np

from src.claims.labelled import LabelledClaim
from src.errors import InputError
from src.evaluation.bootstrap import Floats, once
from src.programs.scoring.two_labels import macro_f1, supported
from src.text import same, stop_words

SHOTS, DRAWS = 20, 50


def novelty(claim: LabelledClaim) -> float:
    """Return the share of a claim's distinct content words that are in none of its evidence, 0 to 1."""
    said = set(same(claim.claim).split()) - stop_words()
    known = {word for passage in claim.gold for word in same(passage.sentence).split()}
    return len(said - known) / max(1, len(said))


def guesses(claims: Sequence[LabelledClaim], tune: Sequence[LabelledClaim], seed: int) -> list[Floats]:
    """Return the predictions of each draw, 1 for `supports`. Raises InputError when `tune` has fewer than 20 claims."""
    if len(tune) < SHOTS:
        raise InputError(f"--tune_ids: {len(tune)} claims with evidence, but a draw needs {SHOTS}")
    drawn = Random(seed)
    values = np.array([novelty(claim) for claim in claims])
    thresholds = [_fitted(drawn.sample(tune, SHOTS)) for _ in range(DRAWS)]
    return [(values <= threshold).astype(float) for threshold in thresholds]


def _fitted(shots: Sequence[LabelledClaim]) -> float:
    """Return the threshold with the best macro-F1; of several best ones, the middle one.

    Candidates are the midpoints between neighboring values, one below the smallest value, and the largest value.
    """
    gold = supported(claim.value for claim in shots)
    values = np.array([novelty(claim) for claim in shots])
    steps = np.unique(values)
    tried = np.concatenate([steps[:1] - 1, (steps[1:] + steps[:-1]) / 2, steps[-1:]])
    scores = np.array([once(macro_f1(gold, (values <= one).astype(float)), len(shots)) for one in tried])
    best = tried[scores == scores.max()]
    return float(best[len(best) // 2])
