"""Bootstrap: 95 % percentile intervals of scores by resampling the claims.

Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13. Claims are drawn with replacement, as many
as there are; all scores of a table use the same draws.

Limitations: covers only the variation of the claims, not that of a system's seed or of the annotators.
"""

import numpy as np
from numpy.typing import NDArray

from src.evaluation.aggregate import Scores, Tally

RESAMPLES = 1000
TAILS = (2.5, 97.5)  # per cent

Interval = tuple[float, float]


def intervals(tally: Tally, seed: int = 0, resamples: int = RESAMPLES) -> Scores[Interval]:
    """Return [low, high] for every score of the table. The same seed gives the same bytes."""
    return tally.resampled(draws(tally.tops.shape[1], seed, resamples), percentiles)


def draws(claims: int, seed: int, resamples: int) -> NDArray[np.float64]:
    """Return how often each resample has drawn a claim, [claims, resamples]; every column sums to `claims`."""
    drawn = np.random.default_rng(seed).integers(claims, size=(resamples, claims))
    flat = drawn + claims * np.arange(resamples)[:, np.newaxis]
    counts = np.bincount(flat.ravel(), minlength=claims * resamples)
    return counts.reshape(resamples, claims).T.astype(np.float64)


def percentiles(values: NDArray[np.float64]) -> Interval:
    """Return the interval of a score from its values in all resamples; NaN values are ignored."""
    low, high = np.nanpercentile(values, TAILS)
    return float(low), float(high)
