"""The curve of gold justifications that are flagged and planted ones that are found, by hand."""

import pytest

from bench.bearing import SHARES, curve_of, lines, threshold_at
from src.explanation.synthetic_errors.records import Kind

GOLD = [*(0.01 * place for place in range(1, 51)), *[None] * 50]  # 100 justifications, half of them read


def test_a_threshold_flags_at_most_the_share() -> None:
    assert threshold_at(GOLD, 0.02) == pytest.approx(0.03)
    assert threshold_at([None, None], 0.5) == 1.0


def test_the_points_of_a_curve() -> None:
    curve = curve_of("claims", GOLD, {Kind.IDLE_SENTENCE: [0.005, 0.025, 0.9, None]})
    assert (curve.gold, curve.read, curve.planted) == (100, 50, {Kind.IDLE_SENTENCE: 4})
    assert [one.allowed for one in curve.points] == [*SHARES, None]
    at_two = curve.points[SHARES.index(0.02)]
    assert (at_two.flagged, at_two.flagged_of_read) == (0.02, 0.04)
    assert at_two.found == {Kind.IDLE_SENTENCE: 0.5}
    first, *rest = lines(curve)
    assert first == "claims: 100 gold justifications, 50 of them read"
    assert rest[-1].startswith("  the setting: threshold")
