"""Risk-coverage curve: the share of wrong verdicts if only the most probable share of the claims is answered.

    risk(c) = share of wrong verdicts among the ceil(c n) claims with the highest probabilities

El-Yaniv and Wiener, "On the Foundations of Noise-free Selective Classification", JMLR 2010. With equal probabilities,
the earlier claim comes first.

Limitations: claims are ordered by the probability of the given verdict; levels may be decided otherwise.
"""

import math
from collections.abc import Mapping, Sequence

import msgspec

from src.evaluation.bootstrap import Interval
from src.evaluation.calibration import Forecast, wilson
from src.records import Level

COVERAGES = tuple(step / 20 for step in range(1, 21))


class RiskCurve(msgspec.Struct, frozen=True):
    """Risk at each of COVERAGES, with both ends of its 95 % interval (Wilson). `claims` is n, at least 1."""

    claims: int
    values: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


class LevelPrecision(msgspec.Struct, frozen=True):
    """Precision of a level: number of its claims, number of right verdicts, and the 95 % interval of their share."""

    level: Level
    claims: int
    right: int
    interval: Interval


def risk_curve(forecasts: Sequence[Forecast]) -> RiskCurve | None:
    """Return the curve; None without forecasts."""
    if not forecasts:
        return None
    ordered = sorted(forecasts, key=lambda one: -one.confidence)
    counts = [math.ceil(coverage * len(ordered)) for coverage in COVERAGES]
    wrong = [sum(not one.is_right for one in ordered[:count]) for count in counts]
    ends = [wilson(missed, count) for missed, count in zip(wrong, counts, strict=True)]
    return RiskCurve(
        len(ordered),
        tuple(missed / count for missed, count in zip(wrong, counts, strict=True)),
        tuple(low for low, _ in ends),
        tuple(high for _, high in ends),
    )


def level_precision(right: Mapping[Level, Sequence[bool]]) -> list[LevelPrecision]:
    """Return the precision of each level that has claims, the surest level first."""
    return [
        LevelPrecision(level, len(own), sum(own), wilson(sum(own), len(own)))
        for level in Level
        if (own := right.get(level))
    ]
