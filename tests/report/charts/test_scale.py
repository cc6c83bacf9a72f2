"""Places and round values."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.report.charts import Scale, outward, short, ticks


def test_the_ends_and_the_middle_stand_where_they_must() -> None:
    up = Scale(0.0, 2.0, 200.0, 0.0)
    assert (up(0.0), up(1.0), up(2.0)) == (200.0, 100.0, 0.0)


def test_a_scale_without_width_puts_all_in_the_middle() -> None:
    assert Scale(1.0, 1.0, 0.0, 10.0)(1.0) == 5.0


def test_ticks_are_round_and_inside() -> None:
    assert ticks(0.0, 1.0) == [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    assert ticks(-0.11, 0.07, 5) == [-0.1, -0.05, 0.0, 0.05]
    assert ticks(3.0, 3.0) == [3.0]


def test_a_range_widens_to_round_values() -> None:
    assert outward(-0.11, 0.07, 5) == (-0.15, 0.1)
    assert outward(0.0, 0.0) == (-0.5, 0.5)


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6), st.integers(2, 10))
def test_ticks_lie_inside_and_are_few(low: float, span: float, most: int) -> None:
    found = ticks(low, low + span, most)
    assert len(found) <= most
    assert all(low - span * 1e-6 - 1e-9 <= one <= low + span * (1 + 1e-6) + 1e-9 for one in found)


@pytest.mark.parametrize(("value", "said"), [(0.25, ".25"), (0.0, "0"), (-0.1, "−.1"), (1.0, "1"), (1200.0, "1,200")])  # noqa: RUF001
def test_values_are_written_short(value: float, said: str) -> None:
    assert short(value) == said
