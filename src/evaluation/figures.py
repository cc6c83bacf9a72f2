"""A score with its 95 % interval, and how far it lies from the first system's, both over the same resampled claims.

A statistic takes `counts` [claims, resamples], how often each resample has a claim, and gives its values [resamples]
(`src/evaluation/bootstrap.py`).
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from src.evaluation.bootstrap import RESAMPLES, Interval, draws, percentiles

Floats: TypeAlias = NDArray[np.float64]
Statistic: TypeAlias = Callable[[Floats], Floats]


# claims; all of four lean to one side by chance one time in eight, and resampling one gives an interval of no width
FEWEST = 5


class Difference(msgspec.Struct, frozen=True, omit_defaults=True):
    """A score less that of the first system on the same claims, which are `few` where they are fewer than FEWEST: then
    the interval decides nothing."""

    value: float
    interval: Interval
    few: bool = False


class Figure(msgspec.Struct, frozen=True):
    """`to_first` is None for the first system."""

    value: float
    interval: Interval
    to_first: Difference | None = None


def figures(statistics: Sequence[Statistic], claims: int, seed: int) -> list[Figure]:
    """One figure a system, in order; `claims` is how many each is over. The same seed gives the same bytes."""
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
    """The score itself: every claim counts once."""
    return float(statistic(np.ones((claims, 1)))[0])


def mean_of(values: Floats) -> Statistic:
    """The mean over claims of `values` [claims]."""
    return lambda counts: (values @ counts) / counts.sum(axis=0)
