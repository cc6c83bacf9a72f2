"""Names of lines keep off lines and off each other."""

from src.report.charts.labels import Box, placed

INSIDE = Box(0, 0, 400, 300)


def test_names_cover_neither_lines_nor_names() -> None:
    high, low = [(0.0, 100.0), (400.0, 140.0)], [(0.0, 160.0), (400.0, 200.0)]
    boxes = placed(["high", "low"], [high, low], INSIDE)
    assert not boxes[0].meets(boxes[1])
    assert not any(box.holds(point) for box in boxes for point in (*high, *low))
    assert all(INSIDE.around(box) for box in boxes)


def test_a_line_without_a_name_is_avoided_too() -> None:
    (box,) = placed(["a name"], [[(0.0, 100.0), (400.0, 100.0)]], INSIDE, [[(30.0, y) for y in range(0, 300, 3)]])
    assert not box.left <= 30 <= box.right


def test_a_name_too_long_for_the_chart_stands_at_the_line_s_begin() -> None:
    (box,) = placed(["x" * 100], [[(10.0, 100.0), (400.0, 100.0)]], INSIDE)
    assert (box.left, box.bottom) == (15.0, 95.0)
