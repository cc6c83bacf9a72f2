"""Relevance as its formulas say, by hand on vectors of two numbers."""

from math import log, sqrt

import numpy as np
import pytest

from src.reranking.hybrid.relevance import Candidates, relevance, substance, unit
from src.reranking.hybrid.settings import Settings

EAST, NORTH = [1.0, 0.0], [0.0, 1.0]
OBLIQUE = [0.6, 0.8]
PLAIN = Settings(lexical=0.25, substance_words=0, feedback=0)


def candidates(bm25: list[float], vectors: list[list[float]], words: list[str]) -> Candidates:
    sets = [frozenset(text.split()) for text in words]
    return Candidates(
        np.arange(len(bm25)), np.array(bm25), np.array(vectors, np.float32), sets, np.zeros(len(bm25), np.bool_)
    )


THREE = candidates([4.0, 2.0, 0.0], [EAST, OBLIQUE, NORTH], ["a b", "a c d e", "f"])
QUERY = np.array(OBLIQUE, np.float32)


def test_likeness_weighs_words_and_cosine() -> None:
    scores = relevance(THREE, QUERY, ["a", "b"], PLAIN)
    np.testing.assert_allclose(scores.cosine, [0.6, 1.0, 0.8], rtol=1e-6)
    np.testing.assert_allclose(scores.relevance, [0.25 + 0.45, 0.125 + 0.75, 0.6], rtol=1e-6)


def test_likeness_is_multiplied_by_substance() -> None:
    settings = Settings(lexical=0.25, substance_words=3, feedback=0)
    scores = relevance(THREE, QUERY, ["a", "b"], settings)
    grown = [0, log(4) / log(4), log(2) / log(4)]
    np.testing.assert_allclose(scores.relevance, np.multiply([0.7, 0.875, 0.6], grown), rtol=1e-6)


def test_substance_counts_distinct_new_words_up_to_enough() -> None:
    words = [frozenset("ab"), frozenset(), frozenset("axy"), frozenset("tuvwxyz")]
    assert substance(words, ["a", "b", "a"], 3).tolist() == [0, 0, log(3) / log(4), 1]
    assert substance(words, ["a", "b", "a"], 0).tolist() == [1, 1, 1, 1]


def test_feedback_is_the_cosine_with_the_mean_of_the_first() -> None:
    settings = Settings(lexical=0.25, substance_words=0, feedback=0.5, feedback_sentences=2)
    scores = relevance(THREE, QUERY, [], settings)  # the first two are those of .875 and .7
    mean = np.array([1.6, 0.8]) / sqrt(1.6**2 + 0.8**2)
    expected = np.add([0.7, 0.875, 0.6], 0.5 * np.array([EAST, OBLIQUE, NORTH]) @ mean)
    np.testing.assert_allclose(scores.relevance, expected, atol=1e-5)  # cosines are rounded


def test_without_scores_meaning_decides() -> None:
    scores = relevance(candidates([0, 0], [NORTH, OBLIQUE], ["", ""]), QUERY, [], PLAIN)
    np.testing.assert_allclose(scores.relevance, [0.6, 0.75], rtol=1e-6)


def test_equal_sentences_are_equal_wherever_they_stand() -> None:
    row = np.random.default_rng(0).normal(size=384)
    same = candidates([1.0] * 50, [(row / np.linalg.norm(row)).tolist()] * 50, ["a b"] * 50)
    query = unit(np.random.default_rng(1).normal(size=384).astype(np.float32))
    scores = relevance(same, query, ["a"], Settings())
    assert len(set(scores.cosine.tolist())) == len(set(scores.relevance.tolist())) == 1


@pytest.mark.parametrize("settings", [Settings(), PLAIN])
def test_vectors_of_zeros_are_like_nothing(settings: Settings) -> None:
    scores = relevance(candidates([1, 1], [[0, 0], [0, 0]], ["a", "a"]), np.zeros(2, np.float32), ["a"], settings)
    assert scores.cosine.tolist() == [0, 0]
    assert np.isfinite(scores.relevance).all()


def test_unit() -> None:
    np.testing.assert_allclose(unit(np.array([3, 4], np.float32)), [0.6, 0.8], rtol=1e-6)
    assert unit(np.zeros(3, np.float32)).tolist() == [0, 0, 0]
