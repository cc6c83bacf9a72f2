"""A floor that reads no sentence: a claim is refuted where too many of its words stand nowhere in its gold evidence.

The threshold is fit on twenty drawn claims, as the baselines of ProgramFC are trained on twenty; fifty draws show how
much that hangs on the draw. A system with gold evidence has to beat it before it can be said to reason.
"""

from collections.abc import Sequence
from random import Random

import numpy as np

from src.claims.labelled import LabelledClaim
from src.errors import InputError
from src.evaluation.figures import Floats, once
from src.programs.scoring.two_labels import macro_f1, supported
from src.text import same, stop_words

SHOTS, DRAWS = 20, 50


def novelty(claim: LabelledClaim) -> float:
    """The share of a claim's content words, each counted once, that stand in none of its evidence; 0 to 1."""
    said = set(same(claim.claim).split()) - stop_words()
    known = {word for passage in claim.gold for word in same(passage.sentence).split()}
    return len(said - known) / max(1, len(said))


def guesses(claims: Sequence[LabelledClaim], tune: Sequence[LabelledClaim], seed: int) -> list[Floats]:
    """For each draw what it says of the claims, 1 for `supports`. Raises InputError with fewer than 20 to draw from."""
    if len(tune) < SHOTS:
        raise InputError(f"--tune_ids: {len(tune)} claims with evidence, but a draw needs {SHOTS}")
    drawn = Random(seed)
    values = np.array([novelty(claim) for claim in claims])
    thresholds = [_fitted(drawn.sample(tune, SHOTS)) for _ in range(DRAWS)]
    return [(values <= threshold).astype(float) for threshold in thresholds]


def _fitted(shots: Sequence[LabelledClaim]) -> float:
    """The threshold with the best macro-F1: between two neighbours or beyond an end; of several the middle one."""
    gold = supported(claim.value for claim in shots)
    values = np.array([novelty(claim) for claim in shots])
    steps = np.unique(values)
    tried = np.concatenate([steps[:1] - 1, (steps[1:] + steps[:-1]) / 2, steps[-1:]])
    scores = np.array([once(macro_f1(gold, (values <= one).astype(float)), len(shots)) for one in tried])
    best = tried[scores == scores.max()]
    return float(best[len(best) // 2])
