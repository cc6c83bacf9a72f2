"""What a verdict model is followed and chosen by, and which fitted numbers are kept: made-up logits, known answers."""

import numpy as np
import pytest

from src.records import VERDICTS
from src.training.calibration import Floats, Ints, fit_decision, log_softmax
from src.training.verdicts.scores import LIKELIHOOD, WORTH, Part, joint_final, joint_scores

COMMONEST = VERDICTS[1]


def part(labels: Ints, name: str = "gold") -> Part:
    return Part(name, [f"claim {place}" for place in range(len(labels))], [[] for _ in labels], labels.tolist())


def calibrated(count: int, rare: float, signal: float) -> tuple[Floats, Ints]:
    """Logits that are the truth about two verdicts, of which the first is as rare as said."""
    draw = np.random.default_rng(3)
    labels = (draw.random(count) >= rare).astype(np.int64)
    seen = draw.normal(size=count) + signal * (labels == 0)
    logits = np.full((count, len(VERDICTS)), -9.0)
    logits[:, 0] = signal * seen - signal**2 / 2 + np.log(rare / (1 - rare))
    logits[:, 1] = 0.0
    return logits, labels


def test_likelihood_is_the_mean_of_the_parts_after_the_best_temperature() -> None:
    """Three of four right: best is to be sure of three quarters."""
    labels = np.zeros(40, np.int64)
    logits = np.full((40, 4), -50.0)
    logits[:, :2] = [[4.0, 0.0], [4.0, 0.0], [4.0, 0.0], [0.0, 4.0]] * 10
    certain = 3 / 4 * np.log(3 / 4) + 1 / 4 * np.log(1 / 4)
    found = joint_scores(lambda _: logits, [part(labels), part(labels, "retrieved")])
    assert found[LIKELIHOOD] == pytest.approx(certain, abs=1e-3)
    assert found["gold accuracy"] == found["retrieved accuracy"] == 0.75


def test_biases_are_kept_where_they_gain() -> None:
    logits, labels = calibrated(2000, rare=0.1, signal=1.2)
    final = joint_final(lambda _: logits, [part(labels)], COMMONEST)
    temperature, biases = fit_decision([(logits, labels)], calibrate=final.temperature != 1)
    assert final.scores[f"{WORTH}, decided"] > final.scores[WORTH] + 0.005
    assert final.biases == tuple(np.round(biases, 4))
    assert final.biases[0] > 0.2
    assert final.biases[1] == 0
    assert final.temperature == temperature


def test_biases_are_not_kept_where_they_gain_nothing() -> None:
    labels = np.arange(200) % 4
    final = joint_final(lambda _: np.log(np.eye(4)[labels] * 0.9 + 0.025), [part(labels)], COMMONEST)
    assert final.biases == ()
    assert final.scores[f"{WORTH}, decided"] == final.scores[WORTH]


def test_a_temperature_that_makes_them_less_likely_is_not_kept() -> None:
    """Four of five are right, which the logits know; those that are wrong are the claims of one fold."""
    labels = (np.arange(40) % 5 == 0).astype(np.int64)
    logits = np.log(np.tile([0.8, 0.2 - 2e-9, 1e-9, 1e-9], (40, 1)))
    final = joint_final(lambda _: logits, [part(labels)], COMMONEST)
    assert final.temperature == 1
    log_loss = -log_softmax(logits)[np.arange(40), labels].mean()
    assert final.scores["gold log-loss"] == final.scores["gold log-loss before temperature"]
    assert final.scores["gold log-loss"] == pytest.approx(log_loss)
