"""Held-out scores of a verdict model, and which fitted numbers are kept, on made-up logits with known answers."""

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
    """Three of four predictions are right, so the best probability of the predicted class is 3/4."""
    labels = np.zeros(40, np.int64)
    logits = np.full((40, 4), -50.0)
    logits[:, :2] = [[4.0, 0.0], [4.0, 0.0], [4.0, 0.0], [0.0, 4.0]] * 10
    certain = 3 / 4 * np.log(3 / 4) + 1 / 4 * np.log(1 / 4)
    scores = joint_scores(lambda _: logits, [part(labels), part(labels, "retrieved")])
    assert scores[LIKELIHOOD] == pytest.approx(certain, abs=1e-3)
    assert scores["gold accuracy"] == scores["retrieved accuracy"] == 0.75


def test_biases_that_raise_the_score_are_kept() -> None:
    logits, labels = calibrated(2000, rare=0.1, signal=1.2)
    final = joint_final(lambda _: logits, [part(labels)], COMMONEST)
    temperature, biases = fit_decision([(logits, labels)], calibrate=final.temperature != 1)
    assert final.scores[f"{WORTH}, decided"] > final.scores[WORTH] + 0.005
    assert final.biases == tuple(np.round(biases, 4))
    assert final.biases[0] > 0.2
    assert final.biases[1] == 0
    assert final.temperature == temperature


def test_biases_that_gain_nothing_are_dropped() -> None:
    labels = np.arange(200) % 4
    final = joint_final(lambda _: np.log(np.eye(4)[labels] * 0.9 + 0.025), [part(labels)], COMMONEST)
    assert final.biases == ()
    assert final.scores[f"{WORTH}, decided"] == final.scores[WORTH]


def test_a_temperature_that_makes_the_labels_less_likely_is_dropped() -> None:
    """The logits are calibrated: four of five are right. All wrong ones are in one fold."""
    labels = (np.arange(40) % 5 == 0).astype(np.int64)
    logits = np.log(np.tile([0.8, 0.2 - 2e-9, 1e-9, 1e-9], (40, 1)))
    final = joint_final(lambda _: logits, [part(labels)], COMMONEST)
    assert final.temperature == 1
    log_loss = -log_softmax(logits)[np.arange(40), labels].mean()
    assert final.scores["gold log-loss"] == final.scores["gold log-loss before temperature"]
    assert final.scores["gold log-loss"] == pytest.approx(log_loss)
