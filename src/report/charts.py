"""Charts as inline SVG: each chart is a record whose `drawing` is the SVG, with all text escaped.

Limitations: only classes and presentation attributes, since the Content-Security-Policy of pages forbids `style`
attributes.
"""

from collections.abc import Sequence
from math import atan2, ceil, degrees, floor, log10
from typing import ClassVar, NamedTuple

import msgspec
from markupsafe import Markup

from src.evaluation.calibration import Bin, Calibration

WIDTH = 440.0  # of all charts, in SVG units; the page scales them
STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)  # between the values of an axis, times a power of 10


class DataTable(msgspec.Struct, frozen=True):
    """A table on a page; the first column names the rows, the other cells are formatted numbers."""

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


class ChartFigure(msgspec.Struct, frozen=True):
    """A chart on a page: its drawing, its caption, and its data as a table."""

    drawing: Markup
    caption: str
    data: DataTable


class Scale(NamedTuple):
    """A linear scale from values to SVG units: `low` is drawn at `start`, `high` at `end`. On a vertical axis `end` is
    less than `start`.
    """

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        span = self.high - self.low
        return self.start + (self.end - self.start) * ((value - self.low) / span if span else 0.5)


class Bar(msgspec.Struct, frozen=True):
    """A bar of a BarChart; `label` is its value as text, with the unit, and is written at its end."""

    name: str
    value: float
    label: str


class BarChart(msgspec.Struct, frozen=True):
    """Chart of horizontal bars from zero, with the name on the left and the value on the right.

    Requires at least one bar, and no value below 0.
    """

    title: str
    description: str
    bars: Sequence[Bar]

    ROW: ClassVar = 26.0
    BAR: ClassVar = 14.0
    LEFT: ClassVar = 104.0
    RIGHT: ClassVar = WIDTH - 84

    @property
    def drawing(self) -> Markup:
        across = Scale(0.0, max(one.value for one in self.bars) or 1.0, self.LEFT, self.RIGHT)
        rows = [part for number, one in enumerate(self.bars) for part in self._row(one, number * self.ROW, across)]
        height = self.ROW * len(self.bars)
        return svg(height, self.title, self.description, *rows, line(self.LEFT, 2, self.LEFT, height - 2, "axis"))

    def _row(self, one: Bar, top: float, across: Scale) -> list[Markup]:
        baseline, end = top + self.ROW / 2 + 4, across(one.value)
        width, y = end - self.LEFT, top + (self.ROW - self.BAR) / 2
        return [
            text(one.name, self.LEFT - 8, baseline, "end"),
            element("rect", x=self.LEFT, y=y, width=width, height=self.BAR, class_="taken"),
            text(one.label, end + 6, baseline, class_="quiet"),
        ]


class IntervalRow(msgspec.Struct, frozen=True):
    """A row of an IntervalChart.

    `name`: label of the row.
    `value`: value that the dot marks.
    `low`, `high`: ends of the interval of the value.
    `references`: for each name in the chart's `references`, the reference value of this row; None if there is none.
    """

    name: str
    value: float
    low: float
    high: float
    references: Sequence[float | None] = ()


class IntervalChart(msgspec.Struct, frozen=True):
    """Chart of values with their intervals, one per row, with reference values marked on the same row.

    The axis includes 0. Requires at least one row.

    `value_name`: legend of the dots, which are the values.
    `references`: legend of the reference marks, at most two.
    `sign`: write a plus before positive values.
    """

    title: str
    description: str
    rows: Sequence[IntervalRow]
    value_name: str
    references: Sequence[str] = ()
    sign: bool = False

    ROW: ClassVar = 28.0
    LEFT: ClassVar = 142.0
    RIGHT: ClassVar = WIDTH - 54
    KEY: ClassVar = 24.0
    MARKS: ClassVar = ("mark-1", "mark-2")  # a diamond, a stroke

    @property
    def drawing(self) -> Markup:
        values = [value for one in self.rows for value in (one.low, one.high, one.value, *one.references) if value]
        low, high = outward(min([0.0, *values]), max([0.0, *values]))
        across = Scale(low, high, self.LEFT, self.RIGHT)
        bottom = self.KEY + self.ROW * len(self.rows)
        tops = [self.KEY + number * self.ROW for number in range(len(self.rows))]
        rows = [part for one, top in zip(self.rows, tops, strict=True) for part in self._row(one, top, across)]
        return svg(bottom + 26, self.title, self.description, *self._key(), *self._axis(across, bottom), *rows)

    def _axis(self, across: Scale, bottom: float) -> list[Markup]:
        parts = []
        for value in ticks(across.low, across.high, 5):
            parts.append(line(across(value), self.KEY, across(value), bottom, "axis" if value == 0 else "rule"))
            parts.append(text(short(value), across(value), bottom + 16, "middle", "quiet"))
        return parts

    def _row(self, one: IntervalRow, top: float, across: Scale) -> list[Markup]:
        middle = top + self.ROW / 2
        parts = [text(one.name, self.LEFT - 10, middle + 4, "end")]
        parts.append(line(across(one.low), middle, across(one.high), middle, "interval"))
        for kind, value in zip(self.MARKS, one.references, strict=False):
            if value is not None:
                parts.append(self._symbol(kind, across(value), middle))
        parts.append(self._symbol("dot", across(one.value), middle))
        return [*parts, text(self._label(one.value), WIDTH, middle + 4, "end")]

    def _key(self) -> list[Markup]:
        """Return the legend of the symbols, in one line above the rows."""
        parts, x = list[Markup](), 8.0
        for kind, name in zip(("dot", *self.MARKS), (self.value_name, *self.references), strict=False):
            parts += [self._symbol(kind, x, 10), text(name, x + 9, 14, class_="quiet")]
            x += 28 + 7.2 * len(name)
        return parts

    def _symbol(self, kind: str, x: float, y: float) -> Markup:
        if kind == "dot":
            return element("circle", cx=x, cy=y, r=4.5, class_="dot")
        if kind == "mark-1":
            return path([(x, y - 5.5), (x + 5.5, y), (x, y + 5.5), (x - 5.5, y)], "mark-1", closed=True)
        return line(x, y - 7, x, y + 7, "mark-2")

    def _label(self, value: float) -> str:
        digits = f"{abs(value):.3f}".removeprefix("0")
        return f"{'−' if value < 0 else '+' if self.sign and value else ''}{digits}"  # noqa: RUF001 - a true minus


class Series(msgspec.Struct, frozen=True):
    """A line of a LineChart.

    `name`: name in the legend.
    `values`: y value for each of the chart's `xs`.
    `band`: lower and upper ends of the values' intervals, each with one end for each value; empty for no band.
    """

    name: str
    values: Sequence[float]
    band: tuple[Sequence[float], Sequence[float]] | tuple[()] = ()


class LineChart(msgspec.Struct, frozen=True):
    """Chart of lines over a common x axis, with a legend above them and bands for intervals. The y axis starts at 0.

    Requires at least one series with two points.

    `xs`: x values of all series, ascending.
    `mark`: x value and label of a vertical line; None for no line.
    """

    title: str
    description: str
    x_name: str
    y_name: str
    xs: Sequence[float]
    series: Sequence[Series]
    mark: tuple[float, str] | None = None

    HEIGHT: ClassVar = 320.0
    LEFT: ClassVar = 40.0
    RIGHT: ClassVar = WIDTH - 12
    TOP: ClassVar = 56.0
    BOTTOM: ClassVar = 274.0
    SAMPLE: ClassVar = 26.0  # length of a line's sample in the key

    @property
    def drawing(self) -> Markup:
        top = max(max(ends) for one in self.series for ends in (one.values, *one.band))
        across = Scale(self.xs[0], self.xs[-1], self.LEFT, self.RIGHT)
        up = Scale(0.0, outward(0.0, top or 1.0)[1], self.BOTTOM, self.TOP)
        points = [[(across(x), up(y)) for x, y in zip(self.xs, one.values, strict=True)] for one in self.series]
        below = [*self._axes(across, up), *self._bands(across, up), *self._mark(across)]
        lines = [path(curve, f"series s{number}") for number, curve in enumerate(points, 1)]
        return svg(self.HEIGHT, self.title, self.description, *self._key(), *below, *lines)

    def _axes(self, across: Scale, up: Scale) -> list[Markup]:
        parts = [text(self.y_name, 0, self.TOP - 16, class_="quiet"),
                 text(self.x_name, self.RIGHT, self.HEIGHT - 6, "end", "quiet")]  # fmt: skip
        for value in ticks(up.low, up.high, 5):
            parts.append(line(self.LEFT, up(value), self.RIGHT, up(value), "axis" if value == 0 else "rule"))
            parts.append(text(short(value), self.LEFT - 6, up(value) + 4, "end", "quiet"))
        for value in ticks(across.low, across.high):
            parts.append(line(across(value), self.BOTTOM, across(value), self.BOTTOM + 4, "axis"))
            parts.append(text(short(value), across(value), self.BOTTOM + 18, "middle", "quiet"))
        return parts

    def _bands(self, across: Scale, up: Scale) -> list[Markup]:
        bands = []
        for number, one in enumerate(self.series, 1):
            if one.band:
                low, high = ([(across(x), up(y)) for x, y in zip(self.xs, ends, strict=True)] for ends in one.band)
                bands.append(path([*low, *reversed(high)], f"band s{number}", closed=True))
        return bands

    def _mark(self, across: Scale) -> list[Markup]:
        if self.mark is None:
            return []
        value, label = self.mark
        at = across(value)
        return [line(at, self.TOP - 6, at, self.BOTTOM, "marked"), text(label, at + 4, self.TOP, class_="quiet")]

    def _key(self) -> list[Markup]:
        """Return the legend of the lines, in one line above them."""
        parts, x, end = list[Markup](), 0.0, self.SAMPLE
        for number, one in enumerate(self.series, 1):
            parts += [path([(x, 10), (x + end, 10)], f"sample s{number}"), text(one.name, x + end + 6, 14)]
            x += end + 22 + 6.6 * len(one.name)
        return parts


class ReliabilityDiagram(msgspec.Struct, frozen=True):
    """Reliability diagram: share of right verdicts against their probability, with the number of claims in each bin
    below.

    Perfect probabilities are on the diagonal. Source: Guo et al. 2017, figure 1, with 95 % intervals instead of bars.
    Requires at least one bin.
    """

    title: str
    description: str
    calibration: Calibration

    LEFT: ClassVar = 40.0
    RIGHT: ClassVar = WIDTH - 12
    TOP: ClassVar = 30.0
    BOTTOM: ClassVar = 234.0
    COUNTS_TOP: ClassVar = 258.0
    COUNTS_BOTTOM: ClassVar = 292.0
    ACROSS: ClassVar = Scale(0.0, 1.0, 40.0, WIDTH - 12)
    UP: ClassVar = Scale(0.0, 1.0, 234.0, 30.0)

    @property
    def drawing(self) -> Markup:
        across, up, bins = self.ACROSS, self.UP, self.calibration.bins
        slope = degrees(atan2(self.BOTTOM - self.TOP, self.RIGHT - self.LEFT))
        turned = f"rotate({-slope:.1f} {across(0.04):.0f} {up(0.06):.0f})"
        named = element("text", "ideal", x=across(0.04), y=up(0.06), transform=turned, class_="quiet")
        ideal = line(self.LEFT, self.BOTTOM, self.RIGHT, self.TOP, "ideal")
        points = path([(across(one.confidence), up(one.right)) for one in bins], "series s1")
        dots = [part for one in bins for part in self._dot(one)]
        return svg(338, self.title, self.description, *self._axes(), ideal, named, points, *dots, *self._counts())

    def _axes(self) -> list[Markup]:
        across, up, below = self.ACROSS, self.UP, self.COUNTS_BOTTOM
        parts = [text("Share right", 0, 14, class_="quiet"), text("Claims", 0, self.COUNTS_TOP + 6, class_="quiet"),
                 text("Probability of the predicted verdict", self.RIGHT, 332, "end", "quiet")]  # fmt: skip
        for value in ticks(0.0, 1.0):
            parts.append(line(self.LEFT, up(value), self.RIGHT, up(value), "axis" if value == 0 else "rule"))
            parts.append(text(short(value), self.LEFT - 6, up(value) + 4, "end", "quiet"))
            parts.append(text(short(value), across(value), below + 18, "middle", "quiet"))
        return [*parts, line(self.LEFT, below, self.RIGHT, below, "axis")]

    def _dot(self, one: Bin) -> list[Markup]:
        x, (low, high), up = self.ACROSS(one.confidence), one.interval, self.UP
        circle = element("circle", cx=x, cy=up(one.right), r=4.5, class_="dot")
        return [line(x, up(low), x, up(high), "interval"), circle]

    def _counts(self) -> list[Markup]:
        across, bins, bottom = self.ACROSS, self.calibration.bins, self.COUNTS_BOTTOM
        tall = Scale(0.0, max(one.claims for one in bins), bottom, self.COUNTS_TOP)
        parts = []
        for one in bins:
            left, top, middle = across(one.low) + 1, tall(one.claims), (across(one.low) + across(one.high)) / 2
            width = across(one.high) - left - 1
            parts.append(element("rect", x=left, y=top, width=width, height=bottom - top, class_="count"))
            parts.append(text(str(one.claims), middle, top - 3, "middle", "quiet small"))
        return parts


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Return at most `most` round, evenly spaced axis values from `low` to `high`; only `low` if the range is empty."""
    if not high > low:
        return [low]
    rough = (high - low) / max(most - 1, 1)
    power = 10.0 ** floor(log10(rough))
    step = next(power * factor for factor in STEPS if power * factor >= rough * (1 - 1e-9))
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return [round(place * step, 12) for place in range(first, last + 1)]


def outward(low: float, high: float, most: int = 6) -> tuple[float, float]:
    """Return the ends of an axis: the range from `low` to `high`, widened to multiples of the step between its ticks.

    An empty range is widened by 0.5 on both sides.
    """
    values = ticks(low, high, most)
    if len(values) < 2:
        return (low, high) if high > low else (low - 0.5, high + 0.5)
    step = values[1] - values[0]
    return round(floor(low / step + 1e-9) * step, 12), round(ceil(high / step - 1e-9) * step, 12)


def short(value: float) -> str:
    """Return the number as text without needless digits: `.25`, `1`, `1,200`; negative numbers with a true
    minus sign.
    """
    digits = f"{abs(value):.4f}".rstrip("0").rstrip(".") if abs(value) < 1 else f"{abs(value):,.12g}"
    return f"{'−' if value < 0 else ''}{digits.removeprefix('0') if digits != '0' else digits}"  # noqa: RUF001


def element(name: str, /, *inside: str, **attributes: str | float) -> Markup:
    """Return an SVG element with its content and attributes, escaped: `element("text", "p < q", x=1, class_="quiet")`.

    Underscores in attribute names become hyphens.
    """
    written = (Markup(' {}="{}"').format(_attribute(key), _plain(value)) for key, value in attributes.items())
    return Markup("<{0}{1}>{2}</{0}>").format(Markup(name), Markup().join(written), Markup().join(inside))


def svg(height: float, title: str, description: str, *parts: Markup) -> Markup:
    """Return an SVG image of the given parts, `height` units high; screen readers read only its title and
    description.
    """
    return element("svg", element("title", title), element("desc", description), *parts,
                   viewBox=f"0 0 {_plain(WIDTH)} {_plain(height)}", role="img", class_="chart")  # fmt: skip


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> Markup:
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)


def text(label: str, x: float, y: float, anchor: str = "start", class_: str = "") -> Markup:
    return element("text", label, x=x, y=y, text_anchor=anchor, class_=class_)


def path(points: list[tuple[float, float]], class_: str, *, closed: bool = False) -> Markup:
    """Return an SVG path of straight lines through the points."""
    steps = "L".join(f"{_plain(x)} {_plain(y)}" for x, y in points)
    return element("path", d=f"M{steps}{'Z' if closed else ''}", class_=class_)


def _attribute(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def _plain(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.1f}".removesuffix(".0")
