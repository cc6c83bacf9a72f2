"""The largest scores and their places, as sorting them all would give them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.reranking.largest import BLOCK, largest


def sorted_whole(scores: list[float], k: int) -> list[int]:
    return sorted(range(len(scores)), key=lambda place: (-scores[place], place))[:k]


@given(st.lists(st.sampled_from([0.0, 1.0, 2.5, -1.0]) | st.floats(-9, 9), max_size=60), st.integers(-1, 70))
def test_few(scores: list[float], k: int) -> None:
    assert largest(np.array(scores), k).tolist() == sorted_whole(scores, max(k, 0))


@pytest.mark.parametrize("values", [2, 50, 10**6])
@pytest.mark.parametrize("k", [1, 7, 40, 41, 5000])
def test_many_with_and_without_ties(values: int, k: int) -> None:
    scores = np.random.default_rng(values).integers(values, size=BLOCK * 40 + 17).astype(np.float32)
    assert largest(scores, k).tolist() == sorted_whole(scores.tolist(), k)


def test_the_rest_beyond_the_last_whole_block_counts() -> None:
    scores = np.zeros(BLOCK * 3 + 5)
    scores[-1] = 1
    assert largest(scores, 2).tolist() == [BLOCK * 3 + 4, 0]
