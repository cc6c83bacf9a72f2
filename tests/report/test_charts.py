"""Charts: points at their values, texts escaped, one image with a name for screen readers."""

import xml.etree.ElementTree as Tree

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from src.evaluation.calibration import Forecast, calibration
from src.records import Verdict
from src.report.charts import (
    Bar,
    BarChart,
    IntervalChart,
    IntervalRow,
    LineChart,
    ReliabilityDiagram,
    Series,
    outward,
    short,
    ticks,
)
from tests.report.runs import HOSTILE


def parsed(drawing: Markup) -> Tree.Element:
    """Raises ParseError where it is not well-formed."""
    return Tree.fromstring(drawing)


def texts(drawing: Markup) -> list[str]:
    return [one.text or "" for one in parsed(drawing).iter("text")]


def of_class(drawing: Markup, name: str) -> list[Tree.Element]:
    return [one for one in parsed(drawing).iter() if name in (one.get("class") or "").split()]


def places(path: Tree.Element) -> list[tuple[float, float]]:
    """The points of a path of straight lines."""
    steps = (path.get("d") or "").removeprefix("M").removesuffix("Z").split("L")
    return [(float(x), float(y)) for x, y in (step.split() for step in steps)]


LINES = LineChart("T", "D", "x", "y", (0.0, 0.5, 1.0),
                  [Series("up", (0.0, 0.5, 1.0), ((0.0, 0.4, 0.9), (0.1, 0.6, 1.0))), Series("flat", (0.2, 0.2, 0.2))],
                  (0.25, "here"))  # fmt: skip
BARS = BarChart("T", "D", [Bar("long", 10.0, "10 s"), Bar("half", 5.0, "5 s"), Bar("none", 0.0, "0 s")])
TWO = [IntervalRow("a", 0.5, 0.25, 0.75, (0.1, None)), IntervalRow("b", 1.0, 1.0, 1.0)]
ROWS = IntervalChart("T", "D", TWO, "dots", ("other", "third"))
HELD = calibration([Forecast(Verdict.REFUTED, {Verdict.REFUTED: 0.75}, Verdict.REFUTED)] * 2)


def test_a_line_goes_through_its_points_and_its_band_around_them() -> None:
    drawn = LINES.drawing
    up, flat = (places(one) for one in of_class(drawn, "series"))
    assert up == [
        (LineChart.LEFT, LineChart.BOTTOM),
        ((LineChart.LEFT + LineChart.RIGHT) / 2, (LineChart.TOP + LineChart.BOTTOM) / 2),
        (LineChart.RIGHT, LineChart.TOP),
    ]
    assert len({y for _, y in flat}) == 1
    (band,) = of_class(drawn, "band")
    assert len(places(band)) == 6
    assert {"up", "flat", "here", "x", "y"} <= set(texts(drawn))


def test_bars_are_as_long_as_their_values() -> None:
    long, half, none = (float(one.get("width") or -1) for one in of_class(BARS.drawing, "taken"))
    assert (long, half, none) == (BarChart.RIGHT - BarChart.LEFT, long / 2, 0.0)


def test_dots_intervals_and_marks_share_an_axis() -> None:
    drawn = ROWS.drawing
    width = IntervalChart.RIGHT - IntervalChart.LEFT
    dots = [float(one.get("cx") or 0) for one in of_class(drawn, "dot")][1:]  # the first is the key's
    assert dots == [IntervalChart.LEFT + width / 2, IntervalChart.RIGHT]
    first = of_class(drawn, "interval")[0]
    assert float(first.get("x1") or 0) == IntervalChart.LEFT + width / 4
    assert len(of_class(drawn, "mark-1")) == 2, "the key's and the first row's"
    assert len(of_class(drawn, "mark-2")) == 1, "the key's alone"
    assert texts(drawn)[-1] == "1.000"


def test_differences_have_their_sign() -> None:
    rows = [IntervalRow("a", 0.02, 0.0, 0.04), IntervalRow("b", -0.03, -0.05, 0.0), IntervalRow("c", 0.0, 0.0, 0.0)]
    drawn = msgspec.structs.replace(ROWS, rows=rows, sign=True).drawing
    values = [text for text in texts(drawn) if text.endswith(("020", "030", "000"))]
    assert values == ["+.020", "−.030", ".000"]  # noqa: RUF001


def test_a_bin_stands_at_its_probability_and_share() -> None:
    assert HELD is not None
    drawn = ReliabilityDiagram("T", "D", HELD).drawing
    (dot,) = of_class(drawn, "dot")
    at = (ReliabilityDiagram.ACROSS(0.75), ReliabilityDiagram.UP(1.0))
    assert (float(dot.get("cx") or 0), float(dot.get("cy") or 0)) == at
    assert len(of_class(drawn, "count")) == 1
    assert "2" in texts(drawn)


def hostile() -> list[Markup]:
    assert HELD is not None
    line = LineChart(HOSTILE, HOSTILE, HOSTILE, HOSTILE, (0.0, 1.0), [Series(HOSTILE, (0.0, 1.0))], (0.5, HOSTILE))
    return [
        line.drawing,
        BarChart(HOSTILE, HOSTILE, [Bar(HOSTILE, 1.0, HOSTILE)]).drawing,
        IntervalChart(HOSTILE, HOSTILE, [IntervalRow(HOSTILE, 1.0, 0.0, 2.0)], HOSTILE).drawing,
        ReliabilityDiagram(HOSTILE, HOSTILE, HELD).drawing,
    ]


@pytest.mark.parametrize("drawn", hostile(), ids=["line", "bar", "interval", "reliability"])
def test_texts_are_escaped_and_the_image_has_a_name(drawn: Markup) -> None:
    root = parsed(drawn)
    assert {one.tag for one in root.iter()} <= {"svg", "title", "desc", "line", "path", "rect", "circle", "text"}
    assert (root.get("role"), root[0].tag, root[0].text, root[1].text) == ("img", "title", HOSTILE, HOSTILE)
    assert not any("style" in one.attrib for one in root.iter())


def test_all_zero_is_drawn() -> None:
    for chart in (
        BarChart("T", "D", [Bar("a", 0.0, "0 s")]),
        IntervalChart("T", "D", [IntervalRow("a", 0.0, 0.0, 0.0)], "d"),
        LineChart("T", "D", "x", "y", (0.0, 1.0), [Series("a", (0.0, 0.0))]),
    ):
        assert parsed(chart.drawing).tag == "svg"


def test_ticks_are_round_and_inside() -> None:
    assert ticks(0.0, 1.0) == [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    assert ticks(-0.11, 0.07, 5) == [-0.1, -0.05, 0.0, 0.05]
    assert ticks(3.0, 3.0) == [3.0]


def test_a_range_widens_to_round_values() -> None:
    assert outward(-0.11, 0.07, 5) == (-0.15, 0.1)
    assert outward(0.0, 0.0) == (-0.5, 0.5)


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6), st.integers(2, 10))
def test_ticks_lie_inside_and_are_few(low: float, span: float, most: int) -> None:
    values = ticks(low, low + span, most)
    assert len(values) <= most
    assert all(low - span * 1e-6 - 1e-9 <= one <= low + span * (1 + 1e-6) + 1e-9 for one in values)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.25, ".25"), (0.0, "0"), (-0.1, "−.1"), (1.0, "1"), (1200.0, "1,200")],  # noqa: RUF001 - a true minus
)
def test_values_are_written_short(value: float, expected: str) -> None:
    assert short(value) == expected
