"""Kendall's tau-c: the values of the definition, and nothing where it has none."""

import pytest

from src.explanation.scoring.human import tau_c, tau_interval


@pytest.mark.parametrize(
    ("scores", "ratings", "value"),
    [([5, 5, 4, 3], [3, 2, 2, 0], 0.75), ([4.5, 4, 3, 5, 2], [1, 0, 0, 1, 0], 0.96), ([1, 2, 3], [3, 2, 1], -1.0)],
)
def test_values(scores: list[float], ratings: list[float], value: float) -> None:
    assert tau_c(scores, ratings) == pytest.approx(value)


@pytest.mark.parametrize(("scores", "ratings"), [([], []), ([1], [2]), ([5, 5, 5], [1, 2, 3]), ([1, 2], [3, 3])])
def test_too_few_or_constant_has_no_value(scores: list[float], ratings: list[float]) -> None:
    assert tau_c(scores, ratings) is None
    assert tau_interval(scores, ratings, list(range(len(scores))), 0) is None


def test_the_interval_holds_the_value_and_is_repeatable() -> None:
    scores, ratings = [5.0, 4, 3, 5, 2, 1, 4, 2], [3.0, 2, 2, 3, 0, 1, 1, 2]
    found = tau_interval(scores, ratings, [0, 0, 1, 1, 2, 2, 3, 3], 7)
    assert found == tau_interval(scores, ratings, [0, 0, 1, 1, 2, 2, 3, 3], 7)
    value = tau_c(scores, ratings)
    assert found is not None
    assert value is not None
    assert found[0] <= value <= found[1]
    assert found != tau_interval(scores, ratings, list(range(8)), 7)  # pairs of a claim are drawn together
