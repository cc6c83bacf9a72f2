"""The regression of a stacker, on random features."""

import numpy as np
import pytest

from src.errors import InputError
from src.records import VERDICTS, Level
from src.training.regression import (
    Fitted,
    Floats,
    Ints,
    cross_fitted,
    level_scores,
    levels_of,
    sample_weights,
    scores_of,
)


def made(count: int = 600, seed: int = 0) -> tuple[Floats, Ints]:
    """Return features that show the label, with noise, and the labels."""
    chance = np.random.default_rng(seed)
    labels = chance.choice(len(VERDICTS), count, p=[0.3, 0.5, 0.15, 0.05]).astype(np.int64)
    return np.eye(len(VERDICTS))[labels] * 2 + chance.normal(size=(count, len(VERDICTS))), labels


def test_it_learns_labels_that_the_features_show() -> None:
    features, labels = made()
    chances = cross_fitted(features, labels, np.ones(len(labels)), [str(n) for n in range(len(labels))], 1.0)
    assert chances.sum(1) == pytest.approx(1)
    assert scores_of("made", chances, labels)["made accuracy"] > 0.75


def test_what_a_claim_is_scored_by_was_not_fitted_on_it() -> None:
    """Labels are random: a large model fits them in-sample, but cannot predict them out of fold."""
    chance = np.random.default_rng(1)
    features, labels = chance.normal(size=(120, 40)), chance.integers(0, 4, 120)
    keys = [str(n) for n in range(120)]
    inside = Fitted(features, labels, np.ones(120), 100.0).chances(features)
    outside = cross_fitted(features, labels, np.ones(120), keys, 100.0)
    assert (inside.argmax(1) == labels).mean() > 0.6
    assert (outside.argmax(1) == labels).mean() < 0.45


def test_parts_count_alike_and_rare_verdicts_more() -> None:
    labels = np.array([0] * 8 + [1] * 2 + [0] * 5)
    weights = sample_weights(["a"] * 10 + ["b"] * 5, labels, 0.5)
    assert weights.mean() == pytest.approx(1)
    assert weights[:10].sum() == pytest.approx(weights[10:].sum())
    assert weights[8] == pytest.approx(2 * weights[0])
    assert weights[8:10].sum() < weights[:8].sum()


def test_a_verdict_that_no_claim_has_is_never_found() -> None:
    features, labels = made()
    three = labels < 3
    chances = Fitted(features[three], labels[three], np.ones(int(three.sum())), 1.0).chances(features)
    assert chances[:, 3].max() < 1e-3


def test_two_verdicts_are_too_few() -> None:
    features, labels = made()
    two = labels < 2
    with pytest.raises(InputError, match="at least 3 verdicts"):
        Fitted(features[two], labels[two], np.ones(int(two.sum())), 1.0)


def test_levels_are_scored_part_by_part() -> None:
    features, labels = made(1200)
    chances = cross_fitted(features, labels, np.ones(len(labels)), [str(n) for n in range(len(labels))], 1.0)
    assert levels_of(chances, labels, ["pack"] * len(labels)).share[Level.UNDECIDED] == 1  # none is met in use
    levels = levels_of(chances, labels, ["retrieved"] * len(labels))
    scores = level_scores("made", levels, chances, labels)
    assert scores["made firm precision"] >= 0.85
    assert scores["made coverage"] == pytest.approx(0.9, abs=0.02)
    assert sum(scores[f"made {level} share"] for level in ("firm", "leaning", "undecided")) == pytest.approx(1)
