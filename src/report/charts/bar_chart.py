"""Horizontal bars from zero, with the name on the left and the value on the right."""

from collections.abc import Sequence

import msgspec
from markupsafe import Markup

from src.report.charts.scale import Scale
from src.report.charts.svg import WIDTH, drawing, element, line, text

ROW, BAR, LEFT, RIGHT = 26.0, 14.0, 104.0, WIDTH - 84


class Bar(msgspec.Struct, frozen=True):
    """A bar; `shown` is the value as text, with its unit."""

    name: str
    value: float
    shown: str


class BarChart(msgspec.Struct, frozen=True):
    title: str
    description: str
    bars: Sequence[Bar]


def bar_chart(chart: BarChart) -> Markup:
    """Return the chart's SVG. Requires at least one bar, and no value below 0."""
    across = Scale(0.0, max(one.value for one in chart.bars) or 1.0, LEFT, RIGHT)
    rows = [part for number, one in enumerate(chart.bars) for part in _row(one, number * ROW, across)]
    height = ROW * len(chart.bars)
    return drawing(height, chart.title, chart.description, *rows, line(LEFT, 2, LEFT, height - 2, "axis"))


def _row(one: Bar, top: float, across: Scale) -> list[Markup]:
    baseline, end = top + ROW / 2 + 4, across(one.value)
    return [
        text(one.name, LEFT - 8, baseline, "end"),
        element("rect", x=LEFT, y=top + (ROW - BAR) / 2, width=end - LEFT, height=BAR, class_="taken"),
        text(one.shown, end + 6, baseline, class_="quiet"),
    ]
