"""Whether probabilities are what they say: of the verdicts that have 0.8, eight of ten should be right.

    ECE    sum over bins of claims in the bin / all claims * |share right - mean probability|
    Brier  mean over claims of the sum over verdicts of (probability - 1 if it is the label else 0)^2, from 0 to 2

Guo, Pleiss, Sun and Weinberger, "On Calibration of Modern Neural Networks", ICML 2017: ten bins of equal width over the
probability of the predicted verdict. Brier, "Verification of forecasts expressed in terms of probability", Monthly
Weather Review 1950. A bin's interval is that of Wilson (1927), 95 %.

But: of the predicted verdict's probability alone; the other three count in Brier.
"""

from collections.abc import Mapping, Sequence
from math import sqrt

import msgspec

from src.evaluation.bootstrap import Interval
from src.records import VERDICTS, Verdict

BINS = 10
Z_95 = 1.959963984540054  # 97.5 % of the normal distribution lie below: an interval of 95 %


class Forecast(msgspec.Struct, frozen=True):
    """A verdict with the probability of every verdict, and the label. A verdict that is not named has 0."""

    verdict: Verdict
    probabilities: Mapping[Verdict, float]
    label: Verdict

    @property
    def confidence(self) -> float:
        return self.probabilities.get(self.verdict, 0.0)

    @property
    def is_right(self) -> bool:
        return self.verdict is self.label

    @property
    def brier(self) -> float:
        return sum((self.probabilities.get(one, 0.0) - (one is self.label)) ** 2 for one in VERDICTS)


class Bin(msgspec.Struct, frozen=True):
    """The claims whose probability lies from `low` to under `high`, 1 in the last; at least one."""

    low: float
    high: float
    claims: int
    confidence: float
    right: float
    interval: Interval


class Calibration(msgspec.Struct, frozen=True):
    """`bins` without those that hold no claim."""

    claims: int
    bins: tuple[Bin, ...]
    ece: float
    brier: float


def calibration(forecasts: Sequence[Forecast], bins: int = BINS) -> Calibration | None:
    """None where there is no forecast."""
    if not forecasts:
        return None
    held: dict[int, list[Forecast]] = {}
    for one in forecasts:
        held.setdefault(min(int(one.confidence * bins), bins - 1), []).append(one)
    found = tuple(_bin(place, held[place], bins) for place in sorted(held))
    count = len(forecasts)
    return Calibration(
        claims=count,
        bins=found,
        ece=sum(one.claims / count * abs(one.right - one.confidence) for one in found),
        brier=sum(one.brier for one in forecasts) / count,
    )


def wilson(right: int, count: int, z: float = Z_95) -> Interval:
    """Return the interval of a share, of 95 % unless `z` is another quantile; `count` is at least 1."""
    share, spread = right / count, z**2 / count
    middle = (share + spread / 2) / (1 + spread)
    half = z * sqrt(share * (1 - share) / count + spread / (4 * count)) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


def _bin(place: int, held: Sequence[Forecast], bins: int) -> Bin:
    right, count = sum(one.is_right for one in held), len(held)
    return Bin(
        low=place / bins,
        high=(place + 1) / bins,
        claims=count,
        confidence=sum(one.confidence for one in held) / count,
        right=right / count,
        interval=wilson(right, count),
    )
