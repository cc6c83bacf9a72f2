"""Risk against coverage: how often verdicts are wrong when only the surest share of the claims is answered.

    risk(c) = share of wrong verdicts among the ceil(c n) claims with the highest probabilities

El-Yaniv and Wiener, "On the Foundations of Noise-free Selective Classification", JMLR 2010. Of equal probabilities the
earlier claim counts as surer.

Limitations: the order is that of the probability of the given verdict; a level may be decided otherwise.
"""

import math
from collections.abc import Mapping, Sequence

import msgspec

from src.evaluation.bootstrap import Interval
from src.evaluation.calibration import Forecast, wilson
from src.records import Level

COVERAGES = tuple(step / 20 for step in range(1, 21))


class RiskCurve(msgspec.Struct, frozen=True):
    """The risk at each of COVERAGES, with both ends of its 95 % interval (Wilson). `claims` is n, at least 1."""

    claims: int
    values: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


class LevelPrecision(msgspec.Struct, frozen=True):
    """Of the claims of a level: how many, how many are right, and the 95 % interval of that share."""

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
    """Return the levels that have claims, the surest first."""
    return [
        LevelPrecision(level, len(own), sum(own), wilson(sum(own), len(own)))
        for level in Level
        if (own := right.get(level))
    ]
