"""Calibration of probabilities: of the verdicts with probability 0.8, eight of ten should be right.

    ECE    sum over bins of claims in the bin / all claims * |share right - mean probability|
    Brier  mean over claims of the sum over verdicts of (probability - 1 if it is the label else 0)^2, from 0 to 2

Guo, Pleiss, Sun and Weinberger, "On Calibration of Modern Neural Networks", ICML 2017: ten bins of equal width over the
probability of the predicted verdict. Brier, "Verification of forecasts expressed in terms of probability", Monthly
Weather Review 1950. The interval of a bin is Wilson's (1927), 95 %.

A risk-coverage curve is the share of wrong verdicts if a system answers only the claims with the most probable
verdicts:

    risk(c) = share of wrong verdicts among the ceil(c n) claims with the highest probabilities

El-Yaniv and Wiener, "On the Foundations of Noise-free Selective Classification", JMLR 2010. With equal probabilities,
the earlier claim comes first.

Limitations: bins, ECE and the curve use the probability of the predicted verdict only; Brier uses all four. Levels of
verdicts need not depend on this probability.
"""

import math
from collections.abc import Mapping, Sequence
from math import sqrt

import msgspec

from src.evaluation.bootstrap import Interval
from src.records import VERDICTS, Level, Verdict

BINS = 10
Z_95 = 1.959963984540054  # quantile 0.975 of the normal distribution: an interval of 95 %

COVERAGES = tuple(step / 20 for step in range(1, 21))


class Forecast(msgspec.Struct, frozen=True):
    """A predicted verdict with the probabilities of all verdicts, and the label of the claim.

    A verdict without an entry in `probabilities` has probability 0.
    """

    verdict: Verdict
    probabilities: Mapping[Verdict, float]
    label: Verdict

    @property
    def confidence(self) -> float:
        """Return the probability of the predicted verdict."""
        return self.probabilities.get(self.verdict, 0.0)

    @property
    def is_right(self) -> bool:
        return self.verdict is self.label

    @property
    def brier(self) -> float:
        """Return the Brier score of the forecast, from 0 to 2."""
        return sum((self.probabilities.get(one, 0.0) - (one is self.label)) ** 2 for one in VERDICTS)


class Bin(msgspec.Struct, frozen=True):
    """Bin of a calibration, with at least one claim.

    `low`, `high`: ends of the range of probabilities, from `low` to less than `high`; the last bin includes 1.
    `claims`: number of claims.
    `confidence`: mean probability of the predicted verdicts.
    `right`: share of right verdicts, with its 95 % `interval`.
    """

    low: float
    high: float
    claims: int
    confidence: float
    right: float
    interval: Interval


class Calibration(msgspec.Struct, frozen=True):
    """Calibration of forecasts.

    `claims`: number of forecasts.
    `bins`: bins that have claims.
    `ece`: expected calibration error.
    `brier`: Brier score, from 0 to 2.
    """

    claims: int
    bins: tuple[Bin, ...]
    ece: float
    brier: float


def calibration(forecasts: Sequence[Forecast], bins: int = BINS) -> Calibration | None:
    """Return how well the confidence of forecasts agrees with how often they are right; None without forecasts.

    `bins`: number of equal ranges of confidence between 0 and 1 that are compared.
    """
    if not forecasts:
        return None
    held: dict[int, list[Forecast]] = {}
    for one in forecasts:
        held.setdefault(min(int(one.confidence * bins), bins - 1), []).append(one)
    filled = tuple(_bin(place, held[place], bins) for place in sorted(held))
    count = len(forecasts)
    return Calibration(
        claims=count,
        bins=filled,
        ece=sum(one.claims / count * abs(one.right - one.confidence) for one in filled),
        brier=sum(one.brier for one in forecasts) / count,
    )


def wilson(right: int, count: int, z: float = Z_95) -> Interval:
    """Return Wilson's interval of the share `right` / `count`; `count` is at least 1.

    `z` is a quantile of the normal distribution; the default gives a 95 % interval.
    """
    share, spread = right / count, z**2 / count
    middle = (share + spread / 2) / (1 + spread)
    half = z * sqrt(share * (1 - share) / count + spread / (4 * count)) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


def _bin(place: int, held: Sequence[Forecast], bins: int) -> Bin:
    """Return the bin at index `place` (from 0) of `bins` bins; `held` are its forecasts."""
    right, count = sum(one.is_right for one in held), len(held)
    return Bin(
        low=place / bins,
        high=(place + 1) / bins,
        claims=count,
        confidence=sum(one.confidence for one in held) / count,
        right=right / count,
        interval=wilson(right, count),
    )


class RiskCurve(msgspec.Struct, frozen=True):
    """Risk at each of COVERAGES (see the top of this module).

    `claims`: number of forecasts.
    `values`: share of wrong verdicts at each coverage.
    `low`, `high`: ends of the 95 % interval (Wilson) at each coverage.
    """

    claims: int
    values: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


class LevelPrecision(msgspec.Struct, frozen=True):
    """Precision of the verdicts of one reliability level.

    `level`: the level.
    `claims`: number of claims whose verdict has this level.
    `right`: number of these verdicts that are right.
    `interval`: 95 % interval of the share of right verdicts.
    """

    level: Level
    claims: int
    right: int
    interval: Interval


def risk_curve(forecasts: Sequence[Forecast]) -> RiskCurve | None:
    """Return the risk-coverage curve of the forecasts; None if there are none."""
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
    """Return the precision of each level that has claims, firmest level first.

    `right` has, for each level, one Boolean per claim: True if the verdict is right.
    """
    return [
        LevelPrecision(level, len(own), sum(own), wilson(sum(own), len(own)))
        for level in Level
        if (own := right.get(level))
    ]
