"""How measured numbers are written in tables: without a leading zero, with intervals, with signs.

A measured number in a results file is a record with `value` (or `share`), and its 95 % interval as `interval` (low,
high) or as `low` and `high`.
"""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

Measured = Mapping[str, Any]


def share(value: float, digits: int = 3) -> str:
    """Return `.155` for 0.155."""
    return _unpadded(f"{value:.{digits}f}")


def percent(value: float, digits: int = 1) -> str:
    """Return `15.5` for 0.155."""
    return f"{100 * value:.{digits}f}".replace("-", "\u2212")


def with_interval(one: Measured, digits: int = 3) -> str:
    """Return `.155 (.130\u2013.182)`, or the value alone where it has no interval."""
    bounds = _bounds(one)
    value = share(_value(one), digits)
    return value if bounds is None else f"{value} ({share(bounds[0], digits)}\u2013{share(bounds[1], digits)})"


def percent_with_interval(one: Measured, digits: int = 1) -> str:
    """Return `15.5 (13.0\u201318.2)`, or the value alone where it has no interval."""
    bounds = _bounds(one)
    value = percent(_value(one), digits)
    return value if bounds is None else f"{value} ({percent(bounds[0], digits)}\u2013{percent(bounds[1], digits)})"


def difference(one: Measured, digits: int = 3) -> str:
    """Return `+.062 (+.042 to +.080)`."""
    return _difference(one, lambda value: _signed(share(value, digits), value))


def percent_difference(one: Measured, digits: int = 1) -> str:
    """Return `+6.2 (+4.2 to +8.0)`."""
    return _difference(one, lambda value: _signed(percent(value, digits), value))


def percent_spread(one: Measured, digits: int = 1) -> str:
    """Return `50.6 \u00b1 2.8` for a mean of .506 with a standard deviation of .028."""
    return f"{percent(one['mean'], digits)} \u00b1 {percent(one['deviation'], digits)}"


def thousands(value: float) -> str:
    """Return `50,000` for 50000, without decimals."""
    return f"{value:,.0f}"


def fixed(value: float, digits: int = 1) -> str:
    """Return the number with `digits` decimals."""
    return f"{value:.{digits}f}".replace("-", "\u2212")


def megabytes(value: float) -> str:
    """Return `57` for 57 million bytes; below 10 MB with one decimal."""
    return fixed(value / 1e6, 0 if value >= 1e7 else 1)


def opposite(one: Measured) -> Measured:
    """Return the difference of b and a, with its interval, for that of a and b."""
    bounds = _bounds(one)
    limits = {} if bounds is None else {"low": -bounds[1], "high": -bounds[0]}
    return {"value": -_value(one), **limits}


def beyond(runs: Sequence[Mapping[str, Measured]], one: str, other: str) -> float:
    """Return the median number of seconds that one part of each run takes more than another part."""
    return float(median(run[one]["seconds"] - run[other]["seconds"] for run in runs))


FILTERS = {
    one.__name__: one
    for one in (
        share, percent, with_interval, percent_with_interval, difference, percent_difference, percent_spread, thousands,
        fixed, beyond, megabytes, opposite, median,
    )
}  # fmt: skip


def _difference(one: Measured, written: Any) -> str:
    low, high = _bounds(one) or (None, None)
    value = written(_value(one))
    return value if low is None else f"{value} ({written(low)} to {written(high)})"


def _value(one: Measured) -> float:
    return float(one["value"] if "value" in one else one["share"])


def _bounds(one: Measured) -> tuple[float, float] | None:
    if one.get("interval") is not None:
        low, high = one["interval"]
        return float(low), float(high)
    return (float(one["low"]), float(one["high"])) if "low" in one else None


def _signed(text: str, value: float) -> str:
    return text if value < 0 or not text.strip("0.") else f"+{text}"


def _unpadded(text: str) -> str:
    sign, digits = ("\u2212", text[1:]) if text.startswith("-") else ("", text)
    if not digits.strip("0."):
        return digits.removeprefix("0")
    return sign + (digits.removeprefix("0") if digits.startswith("0.") else digits)
