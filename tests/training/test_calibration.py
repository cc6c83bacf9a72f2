"""Temperature, calibration error and biases against made-up logits whose truth is known, and against scikit-learn."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score, log_loss

from src.training import calibration
from src.training.calibration import (
    calibration_error,
    class_scores,
    cross_fitted,
    fit_biases,
    fit_temperature,
    folds_of,
    log_softmax,
    worth,
)

DRAW = np.random.default_rng(3)


def drawn(logits: calibration.Floats) -> calibration.Ints:
    """Draw labels by the probabilities that the logits give."""
    probabilities = np.exp(log_softmax(logits))
    return np.array([DRAW.choice(len(row), p=row / row.sum()) for row in probabilities])


def test_the_temperature_undoes_what_was_done_to_the_logits() -> None:
    logits = DRAW.normal(size=(4000, 4)) * 2
    labels = drawn(logits)
    assert fit_temperature([(logits, labels)]) == pytest.approx(1, abs=0.1)
    assert fit_temperature([(logits * 3, labels)]) == pytest.approx(3, abs=0.3)


def test_scores_are_those_of_scikit_learn() -> None:
    logits, labels = DRAW.normal(size=(200, 4)), DRAW.integers(3, size=200)
    guessed = logits.argmax(1)
    accuracy, f1 = class_scores(guessed, labels, 4)
    assert accuracy == accuracy_score(labels, guessed)
    expected = f1_score(labels, guessed, labels=range(4), average=None, zero_division=0)
    assert f1 == pytest.approx(list(expected))
    assert calibration.log_loss(logits, labels) == pytest.approx(
        log_loss(labels, np.exp(log_softmax(logits)), labels=range(4))
    )
    assert worth(guessed, labels, 4) == pytest.approx((accuracy + sum(f1) / 4) / 2)


def test_the_calibration_error_is_the_gap() -> None:
    sure = np.array([[0.95, 0.05]] * 100)
    assert calibration_error(sure, np.array([0] * 95 + [1] * 5)) == pytest.approx(0)
    assert calibration_error(sure, np.array([0] * 55 + [1] * 45)) == pytest.approx(0.4)


def test_biases_find_rare_classes_more_often() -> None:
    """One of two classes is rare (a tenth): a calibrated model almost never predicts it without biases."""
    labels = (DRAW.random(2000) < 0.1).astype(np.int64)
    signal = DRAW.normal(size=2000) + 1.2 * labels
    odds = 1.2 * signal - 0.72 + np.log(1 / 9)
    scores = log_softmax(np.stack([np.zeros(2000), odds], axis=1))
    biases = fit_biases([(scores, labels)])
    assert biases[0] == 0
    assert biases[1] > 0.3
    plain, (_, (decided,)) = scores.argmax(1), cross_fitted([(scores, labels)], [np.arange(2000) % 5])
    assert worth(decided, labels, 2) > worth(plain, labels, 2)


def test_the_decision_on_a_claim_was_fitted_without_it() -> None:
    """Changing the labels of one fold changes the decisions on the other folds, but not on this fold."""
    logits, folds = DRAW.normal(size=(60, 4)) * 3, [np.arange(60) % 5, np.arange(60) % 5]
    labels = drawn(logits)
    turned = np.where(folds[0] == 2, (labels + 1) % 4, labels)
    before, after = (cross_fitted([(logits, of), (logits / 2, of)], folds) for of in (labels, turned))
    for place in range(2):
        own = folds[place] == 2
        assert (before[0][place][own] == after[0][place][own]).all()
        assert (before[1][place][own] == after[1][place][own]).all()
        assert (before[0][place][~own] != after[0][place][~own]).any()


def test_a_claim_is_in_one_fold_whatever_its_evidence() -> None:
    gold, retrieved = folds_of([["a", "b", "c", "d", "e", "f", "a"], ["f", "c"]])
    assert gold.tolist() == [0, 1, 2, 3, 4, 0, 0]
    assert retrieved.tolist() == [0, 2]
