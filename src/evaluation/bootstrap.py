"""Bootstrap: 95 % percentile intervals of scores, and of differences, by resampling the claims; McNemar's exact test.

Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13. Each resample draws as many claims as there
are, with replacement; all scores of a table use the same draws. A statistic is a function of `counts` [claims,
resamples], which says how often each resample contains a claim. It returns the score of each resample, [resamples].

McNemar, "Note on the sampling error of the difference between correlated proportions or percentages", Psychometrika
1947. Only claims count on which exactly one system is right. If the systems are equally good, each is right on half of
these claims; the p-value is that of the two-sided binomial test.

Limitations: covers only the variation of the claims, not that of a system's seed or of the annotators.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

RESAMPLES = 1000
TAILS = (2.5, 97.5)  # per cent

Interval = tuple[float, float]

Floats: TypeAlias = NDArray[np.float64]
Statistic: TypeAlias = Callable[[Floats], Floats]
# Four claims agree in their sign by chance with probability 1/8; resampling one claim gives an interval of width 0.
FEWEST = 5


def draws(claims: int, seed: int, resamples: int) -> NDArray[np.float64]:
    """Return how often each resample contains each claim, [claims, resamples]; every column sums to `claims`."""
    drawn = np.random.default_rng(seed).integers(claims, size=(resamples, claims))
    flat = drawn + claims * np.arange(resamples)[:, np.newaxis]
    counts = np.bincount(flat.ravel(), minlength=claims * resamples)
    return counts.reshape(resamples, claims).T.astype(np.float64)


def percentiles(values: NDArray[np.float64]) -> Interval:
    """Return the 95 % interval of a score from its values in all resamples; NaN values are ignored."""
    low, high = np.nanpercentile(values, TAILS)
    return float(low), float(high)


class Difference(msgspec.Struct, frozen=True, omit_defaults=True):
    """Difference of a system's score to that of the first system, on the same claims.

    `value`: score of the system minus score of the first system.
    `interval`: 95 % interval of the difference.
    `few`: True if there are fewer than FEWEST claims: the interval then decides nothing.
    """

    value: float
    interval: Interval
    few: bool = False


class Figure(msgspec.Struct, frozen=True):
    """A system's score.

    `value`: the score.
    `interval`: its 95 % interval.
    `to_first`: difference to the first system; None for the first system itself.
    """

    value: float
    interval: Interval
    to_first: Difference | None = None


def figures(statistics: Sequence[Statistic], claims: int, seed: int) -> list[Figure]:
    """Return the score of each system with its interval, in order.

    `statistics` has one statistic per system, and `claims` is the number of claims. The same seed gives identical
    results.
    """
    counts = draws(claims, seed, RESAMPLES)
    values = [once(statistic, claims) for statistic in statistics]
    resampled = [statistic(counts) for statistic in statistics]
    (first, of_first), *others = zip(values, resampled, strict=True)
    less = [Difference(value - first, percentiles(drawn - of_first), claims < FEWEST) for value, drawn in others]
    return [
        Figure(value, percentiles(drawn), difference)
        for value, drawn, difference in zip(values, resampled, [None, *less], strict=True)
    ]


def once(statistic: Statistic, claims: int) -> float:
    """Return the value of a statistic without resampling: every claim counts once."""
    return float(statistic(np.ones((claims, 1)))[0])


def mean_of(values: Floats) -> Statistic:
    """Return the statistic that is the mean of `values` [claims] over the claims of a resample."""
    return lambda counts: (values @ counts) / counts.sum(axis=0)


def mcnemar(first_alone: int, second_alone: int) -> float:
    """Return the p-value of McNemar's exact test; 1 if the systems never differ.

    `first_alone` is the number of claims on which only the first system is right, `second_alone` the number on which
    only the second is.
    """
    differing = first_alone + second_alone
    if not differing:
        return 1.0
    from scipy.stats import binomtest

    return float(binomtest(first_alone, differing, 0.5).pvalue)
