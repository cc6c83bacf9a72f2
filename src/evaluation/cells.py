"""Table cells of numbers, intervals and differences."""

from collections.abc import Callable

from src.evaluation.bootstrap import Interval
from src.evaluation.figures import Difference


def number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


def share(value: float) -> str:
    """Return the share as a percentage."""
    return f"{100 * value:.1f}"


def interval(found: Interval, show: Callable[[float], str] = number) -> str:
    return f"[{show(found[0])}, {show(found[1])}]"


def difference(found: Difference | None) -> str:
    return "" if found is None else f"{found.value:+.3f} {interval(found.interval)}"


def verdict(found: Difference | None, *, fewer_is_better: bool) -> str:
    """Return `better` or `worse` if the whole interval of the difference is on one side, else `undecided`.

    `undecided`, too, with too few claims; empty without a comparison.
    """
    if found is None:
        return ""
    low, high = found.interval
    if found.few or low <= 0 <= high:
        return "undecided"
    return "better" if (high < 0) is fewer_is_better else "worse"
