"""Tables of scores, as lines of text or as Markdown, and their cells: numbers, intervals, differences."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from src.evaluation.bootstrap import Difference, Interval


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the rows of a table as lines of text, with columns as wide as needed."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows]


class Section(NamedTuple):
    """A titled table. `rows` begin with the column heads; `notes` are lines below the table. Either may be empty."""

    title: str
    rows: Sequence[Sequence[str]] = ()
    notes: Sequence[str] = ()


def as_text(sections: Iterable[Section]) -> list[str]:
    """Return the sections as lines of text, with a blank line before each section except the first."""
    blocks = ([one.title, *(table(one.rows) if one.rows else []), *one.notes] for one in sections)
    return [line for place, block in enumerate(blocks) for line in ([""] if place else []) + block]


def as_markdown(sections: Iterable[Section]) -> str:
    """Return the sections as one Markdown document, with each title in bold."""
    blocks = []
    for one in sections:
        blocks.append(f"**{one.title}**")
        if one.rows:
            head, *rows = (f"| {' | '.join(map(_cell, row))} |" for row in one.rows)
            blocks.append("\n".join([head, f"|{' --- |' * len(one.rows[0])}", *rows]))
        blocks += one.notes
    return "\n\n".join(blocks) + "\n"


def _cell(text: str) -> str:
    """Return a text as a cell of a Markdown table: `|` is escaped, and an empty text becomes a space."""
    return text.replace("|", "\\|") or " "


def number(value: float | None) -> str:
    """Return a number with three decimals, or `undefined` for None."""
    return "undefined" if value is None else f"{value:.3f}"


def share(value: float) -> str:
    """Return the share as a percentage with one decimal, without a percent sign."""
    return f"{100 * value:.1f}"


def interval(bounds: Interval, show: Callable[[float], str] = number) -> str:
    """Return an interval as text, such as `[0.123, 0.456]`; `show` formats its ends."""
    return f"[{show(bounds[0])}, {show(bounds[1])}]"


def difference(delta: Difference | None) -> str:
    """Return a difference with its interval as text, such as `+0.050 [0.010, 0.090]`; empty for None."""
    return "" if delta is None else f"{delta.value:+.3f} {interval(delta.interval)}"


def verdict(delta: Difference | None, *, fewer_is_better: bool) -> str:
    """Return `better` or `worse` if the interval of the difference excludes 0, else `no clear difference`.

    The same is returned for too few claims. Empty if `delta` is None.

    `fewer_is_better`: if True, a difference below 0 is better; otherwise one above 0 is.
    """
    if delta is None:
        return ""
    low, high = delta.interval
    if delta.few or low <= 0 <= high:
        return "no clear difference"
    return "better" if (high < 0) is fewer_is_better else "worse"
