"""AVeriTeC score at every threshold for Q+A METEOR, not only at the published .25.

    score @ t   share of claims with the right verdict and Q+A > t (strictly)

A line with a 95 % interval at each threshold, by the same resamples of the claims (`src/evaluation/bootstrap.py`).
"""

from collections.abc import Sequence

import msgspec
import numpy as np

from src.evaluation.averitec import ClaimScore
from src.evaluation.bootstrap import RESAMPLES, TAILS, draws

THRESHOLDS = tuple(step / 20 for step in range(21))


class ThresholdCurve(msgspec.Struct, frozen=True):
    """Score at each of THRESHOLDS, with both ends of its interval."""

    values: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


def threshold_curve(claims: Sequence[ClaimScore], seed: int = 0) -> ThresholdCurve:
    """Return the curve. At least one claim is needed. The same seed gives the same bytes."""
    right = np.array([one.guessed is one.label for one in claims])
    answers = np.array([one.question_answer for one in claims])
    passed = (right & (answers > np.array(THRESHOLDS)[:, np.newaxis])).astype(float)
    resampled = passed @ draws(len(claims), seed, RESAMPLES) / len(claims)
    low, high = np.percentile(resampled, TAILS, axis=1)
    return ThresholdCurve(*(tuple(map(float, line)) for line in (passed.mean(axis=1), low, high)))
