from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from src.evaluation.hungarian import best_match


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([[0.9]], 0.9),
        ([[0.9, 0.8], [0.8, 0.1]], 1.6),  # taking the largest first would give 1.0
        ([[0.1, 0.2, 0.7], [0.6, 0.3, 0.7]], 1.3),  # more references than predictions
        ([[0.5], [0.7], [0.6]], 0.7),  # more predictions than references
        ([[0.0, 0.0], [0.0, 0.0]], 0.0),
    ],
)
def test_matrices_made_by_hand(scores: list[list[float]], expected: float) -> None:
    assert best_match(np.array(scores)) == pytest.approx(expected)


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0)])
def test_an_empty_matrix_is_zero(shape: tuple[int, int]) -> None:
    assert best_match(np.zeros(shape)) == 0.0


@settings(deadline=None)
@given(
    st.integers(1, 4).flatmap(
        lambda n: st.lists(st.lists(st.floats(0, 1), min_size=n, max_size=n), min_size=n, max_size=n)
    )
)
def test_no_other_matching_is_better(scores: list[list[float]]) -> None:
    tried = (sum(scores[row][column] for row, column in enumerate(order)) for order in permutations(range(len(scores))))
    assert best_match(np.array(scores)) == pytest.approx(max(tried))
