"""Risk against coverage, by hand on a few claims."""

import pytest

from src.evaluation.calibration import Forecast
from src.evaluation.risk_coverage import COVERAGES, level_precision, risk_curve
from src.records import Level, Verdict


def forecast(confidence: float, *, is_right: bool) -> Forecast:
    label = Verdict.REFUTED if is_right else Verdict.SUPPORTED
    return Forecast(Verdict.REFUTED, {Verdict.REFUTED: confidence}, label)


def test_the_surest_are_answered_first() -> None:
    found = risk_curve([forecast(0.5, is_right=False), forecast(0.9, is_right=True), forecast(0.8, is_right=True),
                        forecast(0.6, is_right=False)])  # fmt: skip
    assert found is not None
    risk = dict(zip(COVERAGES, found.values, strict=True))
    assert [risk[at] for at in (0.25, 0.5, 0.75, 1.0)] == pytest.approx([0, 0, 1 / 3, 0.5])
    assert all(low <= value <= high for low, value, high in zip(found.low, found.values, found.high, strict=True))


def test_no_forecast_has_no_curve() -> None:
    assert risk_curve([]) is None


def test_levels_come_with_their_intervals() -> None:
    firm, undecided = level_precision(
        {Level.UNDECIDED: [False], Level.FIRM: [True, True, False, True], Level.LEANING: []}
    )
    assert (firm.level, firm.claims, firm.right) == (Level.FIRM, 4, 3)
    assert firm.interval[0] < 0.75 < firm.interval[1]
    assert undecided.level is Level.UNDECIDED
