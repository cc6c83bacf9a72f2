"""Scale from values to positions in a drawing, and the round values of an axis."""

from math import ceil, floor, log10
from typing import NamedTuple

STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


class Scale(NamedTuple):
    """A linear scale: `low` is at `start`, `high` at `end`. `end` may be less than `start`, as on a vertical axis."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        span = self.high - self.low
        return self.start + (self.end - self.start) * ((value - self.low) / span if span else 0.5)


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Return at most `most` round values from `low` to `high`, evenly spaced; `low` alone if the range is empty."""
    if not high > low:
        return [low]
    rough = (high - low) / max(most - 1, 1)
    power = 10.0 ** floor(log10(rough))
    step = next(power * factor for factor in STEPS if power * factor >= rough * (1 - 1e-9))
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return [round(place * step, 12) for place in range(first, last + 1)]


def outward(low: float, high: float, most: int = 6) -> tuple[float, float]:
    """Return the range widened to round values."""
    found = ticks(low, high, most)
    if len(found) < 2:
        return (low, high) if high > low else (low - 0.5, high + 0.5)
    step = found[1] - found[0]
    return round(floor(low / step + 1e-9) * step, 12), round(ceil(high / step - 1e-9) * step, 12)


def short(value: float) -> str:
    """Return a number without needless digits: `.25`, `1`, `1,200`; negative numbers with a true minus sign."""
    said = f"{abs(value):.4f}".rstrip("0").rstrip(".") if abs(value) < 1 else f"{abs(value):,.12g}"
    return f"{'−' if value < 0 else ''}{said.removeprefix('0') if said != '0' else said}"  # noqa: RUF001 - a true minus
