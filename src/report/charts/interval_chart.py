"""Values with their intervals, one a row, with reference values marked on the same row."""

from collections.abc import Sequence

import msgspec
from markupsafe import Markup

from src.report.charts.scale import Scale, outward, short, ticks
from src.report.charts.svg import WIDTH, drawing, element, line, path, text

ROW, LEFT, RIGHT, KEY = 28.0, 142.0, WIDTH - 54, 24.0
MARKS = ("mark-1", "mark-2")  # a diamond, a stroke


class IntervalRow(msgspec.Struct, frozen=True):
    """A row; `held_against` are reference values in the order of the chart's `against`, None where there is none."""

    name: str
    value: float
    low: float
    high: float
    held_against: Sequence[float | None] = ()


class IntervalChart(msgspec.Struct, frozen=True):
    """A chart; `value_name` is the key of the dots, `against` (at most two) that of the marks. `sign` writes a plus."""

    title: str
    description: str
    rows: Sequence[IntervalRow]
    value_name: str
    against: Sequence[str] = ()
    sign: bool = False


def interval_chart(chart: IntervalChart) -> Markup:
    """Return the chart's SVG. Its axis includes 0. Requires at least one row."""
    known = [value for one in chart.rows for value in (one.low, one.high, one.value, *one.held_against) if value]
    low, high = outward(min([0.0, *known]), max([0.0, *known]))
    across = Scale(low, high, LEFT, RIGHT)
    bottom = KEY + ROW * len(chart.rows)
    rows = [part for number, one in enumerate(chart.rows) for part in _row(chart, one, KEY + number * ROW, across)]
    return drawing(bottom + 26, chart.title, chart.description, *_key(chart), *_axis(across, bottom), *rows)


def _axis(across: Scale, bottom: float) -> list[Markup]:
    found = []
    for value in ticks(across.low, across.high, 5):
        found.append(line(across(value), KEY, across(value), bottom, "axis" if value == 0 else "rule"))
        found.append(text(short(value), across(value), bottom + 16, "middle", "quiet"))
    return found


def _row(chart: IntervalChart, one: IntervalRow, top: float, across: Scale) -> list[Markup]:
    middle = top + ROW / 2
    parts = [text(one.name, LEFT - 10, middle + 4, "end")]
    parts.append(line(across(one.low), middle, across(one.high), middle, "interval"))
    for kind, value in zip(MARKS, one.held_against, strict=False):
        if value is not None:
            parts.append(_symbol(kind, across(value), middle))
    parts.append(_symbol("dot", across(one.value), middle))
    return [*parts, text(_shown(chart, one.value), WIDTH, middle + 4, "end")]


def _key(chart: IntervalChart) -> list[Markup]:
    """Return the key of the symbols, in one line above the rows."""
    found, x = list[Markup](), 8.0
    for kind, said in zip(("dot", *MARKS), (chart.value_name, *chart.against), strict=False):
        found += [_symbol(kind, x, 10), text(said, x + 9, 14, class_="quiet")]
        x += 28 + 7.2 * len(said)
    return found


def _symbol(kind: str, x: float, y: float) -> Markup:
    if kind == "dot":
        return element("circle", cx=x, cy=y, r=4.5, class_="dot")
    if kind == "mark-1":
        return path([(x, y - 5.5), (x + 5.5, y), (x, y + 5.5), (x - 5.5, y)], "mark-1", closed=True)
    return line(x, y - 7, x, y + 7, "mark-2")


def _shown(chart: IntervalChart, value: float) -> str:
    said = f"{abs(value):.3f}".removeprefix("0")
    return f"{'−' if value < 0 else '+' if chart.sign and value else ''}{said}"  # noqa: RUF001 - a true minus
