"""The regression of a stacker, on features that are made up."""

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
    """The label shows in the features, with noise."""
    chance = np.random.default_rng(seed)
    labels = chance.choice(len(VERDICTS), count, p=[0.3, 0.5, 0.15, 0.05]).astype(np.int64)
    return np.eye(len(VERDICTS))[labels] * 2 + chance.normal(size=(count, len(VERDICTS))), labels


def test_it_tells_what_can_be_told() -> None:
    found, labels = made()
    chances = cross_fitted(found, labels, np.ones(len(labels)), [str(n) for n in range(len(labels))], 1.0)
    assert chances.sum(1) == pytest.approx(1)
    assert scores_of("made", chances, labels)["made accuracy"] > 0.75


def test_what_a_claim_is_scored_by_was_not_fitted_on_it() -> None:
    """Labels by chance: in-sample a large model would do well, cross-fitted it cannot."""
    chance = np.random.default_rng(1)
    found, labels = chance.normal(size=(120, 40)), chance.integers(0, 4, 120)
    keys = [str(n) for n in range(120)]
    inside = Fitted(found, labels, np.ones(120), 100.0).chances(found)
    outside = cross_fitted(found, labels, np.ones(120), keys, 100.0)
    assert (inside.argmax(1) == labels).mean() > 0.6
    assert (outside.argmax(1) == labels).mean() < 0.45


def test_parts_count_alike_and_rare_verdicts_more() -> None:
    labels = np.array([0] * 8 + [1] * 2 + [0] * 5)
    found = sample_weights(["a"] * 10 + ["b"] * 5, labels, 0.5)
    assert found.mean() == pytest.approx(1)
    assert found[:10].sum() == pytest.approx(found[10:].sum())
    assert found[8] == pytest.approx(2 * found[0])
    assert found[8:10].sum() < found[:8].sum()


def test_a_verdict_that_no_claim_has_is_never_found() -> None:
    found, labels = made()
    three = labels < 3
    chances = Fitted(found[three], labels[three], np.ones(int(three.sum())), 1.0).chances(found)
    assert chances[:, 3].max() < 1e-3


def test_two_verdicts_are_too_few() -> None:
    found, labels = made()
    two = labels < 2
    with pytest.raises(InputError, match="at least 3 verdicts"):
        Fitted(found[two], labels[two], np.ones(int(two.sum())), 1.0)


def test_levels_are_scored_part_by_part() -> None:
    found, labels = made(1200)
    chances = cross_fitted(found, labels, np.ones(len(labels)), [str(n) for n in range(len(labels))], 1.0)
    assert levels_of(chances, labels, ["pack"] * len(labels)).share[Level.UNDECIDED] == 1  # none is met in use
    levels = levels_of(chances, labels, ["retrieved"] * len(labels))
    scores = level_scores("made", levels, chances, labels)
    assert scores["made firm precision"] >= 0.85
    assert scores["made coverage"] == pytest.approx(0.9, abs=0.02)
    assert sum(scores[f"made {level} share"] for level in ("firm", "leaning", "undecided")) == pytest.approx(1)
