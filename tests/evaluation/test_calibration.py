"""Bins, ECE and Brier against figures worked out by hand."""

import pytest

from src.evaluation.calibration import COVERAGES, Forecast, calibration, level_precision, risk_curve, wilson
from src.records import Level, Verdict

S, R, N, C = Verdict


def forecast(probability: float, *, right: bool) -> Forecast:
    rest = (1 - probability) / 3
    return Forecast(R, {R: probability, S: rest, N: rest, C: rest}, R if right else S)


def test_ece_is_the_mean_distance_of_bins_weighted_by_their_claims() -> None:
    forecasts = [
        forecast(0.82, right=True),
        forecast(0.88, right=False),
        forecast(0.4, right=True),
        forecast(0.4, right=False),
    ]
    result = calibration(forecasts)
    assert result is not None
    assert [(one.low, one.high, one.claims, one.right) for one in result.bins] == [
        (0.4, 0.5, 2, 0.5),
        (0.8, 0.9, 2, 0.5),
    ]
    assert result.bins[1].confidence == pytest.approx(0.85)
    assert result.ece == pytest.approx(0.5 * 0.1 + 0.5 * 0.35)


def test_brier_sums_over_all_four_verdicts() -> None:
    assert forecast(0.7, right=True).brier == pytest.approx(0.3**2 + 3 * 0.1**2)
    assert Forecast(R, {R: 1.0}, S).brier == 2.0
    assert Forecast(R, {R: 1.0}, R).brier == 0.0


def test_certainty_belongs_to_the_last_bin() -> None:
    result = calibration([Forecast(R, {R: 1.0}, R)])
    assert result is not None
    assert (result.bins[0].low, result.bins[0].high, result.ece) == (0.9, 1.0, 0.0)


def test_nothing_has_no_calibration() -> None:
    assert calibration([]) is None


def test_wilson_is_that_of_the_textbook() -> None:
    assert wilson(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert wilson(0, 10) == pytest.approx((0.0, 0.2775), abs=1e-4)


def answered(confidence: float, *, is_right: bool) -> Forecast:
    label = Verdict.REFUTED if is_right else Verdict.SUPPORTED
    return Forecast(Verdict.REFUTED, {Verdict.REFUTED: confidence}, label)


def test_the_surest_are_answered_first() -> None:
    curve = risk_curve([answered(0.5, is_right=False), answered(0.9, is_right=True), answered(0.8, is_right=True),
                        answered(0.6, is_right=False)])  # fmt: skip
    assert curve is not None
    risk = dict(zip(COVERAGES, curve.values, strict=True))
    assert [risk[at] for at in (0.25, 0.5, 0.75, 1.0)] == pytest.approx([0, 0, 1 / 3, 0.5])
    assert all(low <= value <= high for low, value, high in zip(curve.low, curve.values, curve.high, strict=True))


def test_no_forecast_has_no_curve() -> None:
    assert risk_curve([]) is None


def test_levels_come_with_their_intervals() -> None:
    firm, undecided = level_precision(
        {Level.UNDECIDED: [False], Level.FIRM: [True, True, False, True], Level.LEANING: []}
    )
    assert (firm.level, firm.claims, firm.right) == (Level.FIRM, 4, 3)
    assert firm.interval[0] < 0.75 < firm.interval[1]
    assert undecided.level is Level.UNDECIDED
