"""Scores with 95 % intervals, and differences to the first system over the same resampled claims.

A statistic is a function of `counts` [claims, resamples], how often each resample has a claim. It returns its values
[resamples] (`src/evaluation/bootstrap.py`).
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from src.evaluation.bootstrap import RESAMPLES, Interval, draws, percentiles

Floats: TypeAlias = NDArray[np.float64]
Statistic: TypeAlias = Callable[[Floats], Floats]


# Four claims agree in their sign by chance with probability 1/8; resampling one claim gives an interval of width 0.
FEWEST = 5


class Difference(msgspec.Struct, frozen=True, omit_defaults=True):
    """Difference of a score to that of the first system on the same claims.

    `few` is True with fewer than FEWEST claims: the interval then decides nothing.
    """

    value: float
    interval: Interval
    few: bool = False


class Figure(msgspec.Struct, frozen=True):
    """A score with its interval; `to_first` is None for the first system."""

    value: float
    interval: Interval
    to_first: Difference | None = None


def figures(statistics: Sequence[Statistic], claims: int, seed: int) -> list[Figure]:
    """Return one figure per system, in order; `claims` is the number of claims. The same seed gives the same bytes."""
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
    """Return the score itself: every claim counts once."""
    return float(statistic(np.ones((claims, 1)))[0])


def mean_of(values: Floats) -> Statistic:
    """Return the statistic of the mean over claims of `values` [claims]."""
    return lambda counts: (values @ counts) / counts.sum(axis=0)
