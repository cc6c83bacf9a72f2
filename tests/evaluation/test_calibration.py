"""Bins, ECE and Brier against figures worked out by hand."""

import pytest

from src.evaluation.calibration import Forecast, calibration, wilson
from src.records import Verdict

S, R, N, C = Verdict


def forecast(probability: float, *, right: bool) -> Forecast:
    rest = (1 - probability) / 3
    return Forecast(R, {R: probability, S: rest, N: rest, C: rest}, R if right else S)


def test_ece_is_the_mean_distance_of_bins_weighted_by_their_claims() -> None:
    said = [
        forecast(0.82, right=True),
        forecast(0.88, right=False),
        forecast(0.4, right=True),
        forecast(0.4, right=False),
    ]
    found = calibration(said)
    assert found is not None
    assert [(one.low, one.high, one.claims, one.right) for one in found.bins] == [
        (0.4, 0.5, 2, 0.5),
        (0.8, 0.9, 2, 0.5),
    ]
    assert found.bins[1].confidence == pytest.approx(0.85)
    assert found.ece == pytest.approx(0.5 * 0.1 + 0.5 * 0.35)


def test_brier_sums_over_all_four_verdicts() -> None:
    assert forecast(0.7, right=True).brier == pytest.approx(0.3**2 + 3 * 0.1**2)
    assert Forecast(R, {R: 1.0}, S).brier == 2.0
    assert Forecast(R, {R: 1.0}, R).brier == 0.0


def test_certainty_belongs_to_the_last_bin() -> None:
    found = calibration([Forecast(R, {R: 1.0}, R)])
    assert found is not None
    assert (found.bins[0].low, found.bins[0].high, found.ece) == (0.9, 1.0, 0.0)


def test_nothing_has_no_calibration() -> None:
    assert calibration([]) is None


def test_wilson_is_that_of_the_textbook() -> None:
    assert wilson(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert wilson(0, 10) == pytest.approx((0.0, 0.2775), abs=1e-4)
