"""BM25 and cosine as one score."""

import numpy as np

from src.reranking.fusion import fused


def test_the_best_of_both_is_worth_one() -> None:
    scores = fused(np.array([4.0, 2.0, 0.0]), np.array([1.0, -0.5, 0.5]), 0.25)
    assert scores.tolist() == [1.0, 0.25 * 0.5 - 0.75 * 0.5, 0.75 * 0.5]


def test_without_a_known_word_the_cosine_decides() -> None:
    assert fused(np.zeros(2), np.array([0.5, 1.0]), 0.5).tolist() == [0.25, 0.5]
    assert fused(np.zeros(0), np.zeros(0), 0.5).tolist() == []


def test_words_of_nearly_every_text_count_against_none() -> None:
    assert fused(np.array([-0.5, 2.0]), np.array([0.5, 0.5]), 0.5).tolist() == [0.25, 0.75]
    assert fused(np.array([-0.5]), np.array([0.5]), 0.5).tolist() == [0.25]
