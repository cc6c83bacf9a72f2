"""Lines over a common axis, with a key above them and bands for intervals."""

from collections.abc import Sequence

import msgspec
from markupsafe import Markup

from src.report.charts.scale import Scale, outward, short, ticks
from src.report.charts.svg import WIDTH, drawing, line, path, text

HEIGHT = 320.0
LEFT, RIGHT, TOP, BOTTOM = 40.0, WIDTH - 12, 56.0, 274.0
SAMPLE = 26.0  # length of a line's sample in the key


class Series(msgspec.Struct, frozen=True):
    """A line; `band` are the lower and upper ends of its intervals, empty where it has none."""

    name: str
    values: Sequence[float]
    band: tuple[Sequence[float], Sequence[float]] | tuple[()] = ()


class LineChart(msgspec.Struct, frozen=True):
    """A chart; `xs` are ascending. `mark` is an x value and its label, drawn as a vertical line."""

    title: str
    description: str
    x_name: str
    y_name: str
    xs: Sequence[float]
    series: Sequence[Series]
    mark: tuple[float, str] | None = None


def line_chart(chart: LineChart) -> Markup:
    """Return the chart's SVG. Its y axis starts at 0. Requires at least one series with two points."""
    top = max(max(ends) for one in chart.series for ends in (one.values, *one.band))
    across = Scale(chart.xs[0], chart.xs[-1], LEFT, RIGHT)
    up = Scale(0.0, outward(0.0, top or 1.0)[1], BOTTOM, TOP)
    lines = [[(across(x), up(y)) for x, y in zip(chart.xs, one.values, strict=True)] for one in chart.series]
    below = [*_axes(chart, across, up), *_bands(chart, across, up), *_mark(chart, across)]
    drawn = [path(found, f"series s{number}") for number, found in enumerate(lines, 1)]
    return drawing(HEIGHT, chart.title, chart.description, *_key(chart), *below, *drawn)


def _axes(chart: LineChart, across: Scale, up: Scale) -> list[Markup]:
    parts = [text(chart.y_name, 0, TOP - 16, class_="quiet"), text(chart.x_name, RIGHT, HEIGHT - 6, "end", "quiet")]
    for value in ticks(up.low, up.high, 5):
        parts.append(line(LEFT, up(value), RIGHT, up(value), "axis" if value == 0 else "rule"))
        parts.append(text(short(value), LEFT - 6, up(value) + 4, "end", "quiet"))
    for value in ticks(across.low, across.high):
        parts.append(line(across(value), BOTTOM, across(value), BOTTOM + 4, "axis"))
        parts.append(text(short(value), across(value), BOTTOM + 18, "middle", "quiet"))
    return parts


def _bands(chart: LineChart, across: Scale, up: Scale) -> list[Markup]:
    found = []
    for number, one in enumerate(chart.series, 1):
        if one.band:
            low, high = ([(across(x), up(y)) for x, y in zip(chart.xs, ends, strict=True)] for ends in one.band)
            found.append(path([*low, *reversed(high)], f"band s{number}", closed=True))
    return found


def _mark(chart: LineChart, across: Scale) -> list[Markup]:
    if chart.mark is None:
        return []
    value, said = chart.mark
    at = across(value)
    return [line(at, TOP - 6, at, BOTTOM, "marked"), text(said, at + 4, TOP, class_="quiet")]


def _key(chart: LineChart) -> list[Markup]:
    """Return the key of the lines, in one line above them."""
    found, x = list[Markup](), 0.0
    for number, one in enumerate(chart.series, 1):
        found += [path([(x, 10), (x + SAMPLE, 10)], f"sample s{number}"), text(one.name, x + SAMPLE + 6, 14)]
        x += SAMPLE + 22 + 6.6 * len(one.name)
    return found
