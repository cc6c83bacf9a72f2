"""Which side claims are on at a threshold."""

import pytest

from bench.reason_thresholds import side_at
from src.records import Side
from src.stance.records import Stance

FOR, AGAINST = Stance(Side.FOR, 0.8, 0.1), Stance(Side.AGAINST, 0.05, 0.9)
REPEATED, NEITHER = Stance(Side.REPEATS, 0.99, 0.0), Stance(Side.NEITHER, 0.3, 0.2)


@pytest.mark.parametrize(
    ("stances", "threshold", "side"),
    [
        ([FOR, NEITHER], 0.7, Side.FOR),
        ([AGAINST, REPEATED], 0.7, Side.AGAINST),
        ([FOR, AGAINST], 0.7, None),
        ([FOR, AGAINST], 0.85, Side.AGAINST),
        ([REPEATED, NEITHER], 0.5, None),
        ([], 0.5, None),
    ],
)
def test_only_one_side_decides(stances: list[Stance], threshold: float, side: Side | None) -> None:
    assert side_at(stances, threshold) is side
