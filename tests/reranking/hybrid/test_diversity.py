"""Which sentences are chosen, by hand: marginal relevance, repetitions, shares of pages and sites."""

import numpy as np
import pytest

from src.reranking.hybrid.diversity import Source, diverse, source
from src.reranking.hybrid.relevance import Candidates
from src.reranking.hybrid.settings import Settings

FREE = Settings(diversity=0, same=1, page_share=1, site_share=1)
NOWHERE = Source("", "")


def at(*degrees: float, words: list[str] | None = None, denials: list[bool] | None = None) -> Candidates:
    """Unit vectors in these directions, and words of their own unless told."""
    angles = np.radians(degrees)
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    texts = words or [f"word{number}" for number in range(len(degrees))]
    sets = [frozenset(text.split()) for text in texts]
    denied = np.array(denials or [False] * len(degrees))
    return Candidates(np.arange(len(degrees)), np.zeros(len(degrees)), vectors, sets, denied)


def chosen(candidates: Candidates, relevance: list[float], k: int, settings: Settings,
           sources: list[Source] | None = None) -> list[int]:  # fmt: skip
    return diverse(candidates, np.array(relevance), sources or [NOWHERE] * len(relevance), k, settings)


def test_the_most_relevant_come_first_equal_ones_by_row() -> None:
    assert chosen(at(0, 1, 2, 3), [1, 3, 2, 3], 3, FREE) == [1, 3, 2]


def test_what_is_like_a_chosen_one_falls_back() -> None:
    three, relevance = at(0, 10, 90), [1.0, 0.9, 0.5]
    assert chosen(three, relevance, 3, FREE) == [0, 1, 2]
    halved = Settings(diversity=0.5, same=1, page_share=1, site_share=1)
    assert chosen(three, relevance, 3, halved) == [0, 2, 1]  # .9 - .5 cos 10 = .408 is under .5
    light = Settings(diversity=0.3, same=1, page_share=1, site_share=1)
    assert chosen(three, relevance, 3, light) == [0, 1, 2]  # .9 - .3 cos 10 = .605 is not


def test_the_nearest_of_the_chosen_counts() -> None:
    settings = Settings(diversity=1, same=1, page_share=1, site_share=1)
    assert chosen(at(0, 90, 80, 45), [1.0, 0.9, 0.8, 0.6], 4, settings) == [0, 1, 3, 2]


@pytest.mark.parametrize(("same", "left"), [(0.9, [0, 2]), (0.99, [0, 1, 2]), (1, [0, 1, 2])])
def test_a_repetition_by_meaning_is_left_out_for_good(same: float, left: list[int]) -> None:
    settings = Settings(diversity=0, same=same, page_share=1, site_share=1)
    assert chosen(at(0, 10, 90), [3, 2, 1], 9, settings) == left


@pytest.mark.parametrize(("same", "left"), [(0.9, [0, 2]), (1, [0, 1, 2])])
def test_a_repetition_by_words_is_left_out_for_good(same: float, left: list[int]) -> None:
    settings = Settings(diversity=0, same=same, page_share=1, site_share=1)
    assert chosen(at(0, 40, 90, words=["a b", "b a", "a b c"]), [3, 2, 1], 9, settings) == left


def test_a_denial_is_no_repetition() -> None:
    near = at(0, 1, 2, 3, words=["a b"] * 4, denials=[False, True, False, True])
    assert chosen(near, [4, 3, 2, 1], 9, Settings(diversity=0)) == [0, 1]


def test_all_equal_leaves_one() -> None:
    assert chosen(at(30, 30, 30, words=["a"] * 3), [1, 1, 1], 5, Settings()) == [0]


PAGES = ["https://a.org/1", "https://web.archive.org/web/2020/https://a.org/1", "https://a.org/1#x", "https://b.org/1"]
SITES = ["https://a.org/1", "https://www.a.org/2", "https://web.archive.org/web/2020/http://a.org/3", "https://b.org/1"]


@pytest.mark.parametrize("urls", [PAGES, SITES])
def test_no_page_and_no_site_has_more_than_its_share(urls: list[str]) -> None:
    settings = Settings(diversity=0, same=1, page_share=0.5 if urls is PAGES else 1, site_share=0.5)
    sources = [source(url) for url in urls]
    assert chosen(at(0, 30, 60, 90), [4, 3, 2, 1], 4, settings, sources) == [0, 1, 3, 2]
    assert chosen(at(0, 30, 60, 90), [4, 3, 2, 1], 3, settings, sources) == [0, 1, 3]
    assert chosen(at(0, 30, 60, 90), [4, 3, 2, 1], 2, settings, sources) == [0, 3]


def test_spare_ones_come_behind_the_k_and_leave_them_as_they_are() -> None:
    settings = Settings(diversity=0, same=1, page_share=1, site_share=0.5)
    sources = [source(url) for url in SITES]
    order = diverse(at(0, 30, 60, 90), np.array([4, 3, 2, 1]), sources, 2, settings, spare=2)
    assert order == [*chosen(at(0, 30, 60, 90), [4, 3, 2, 1], 2, settings, sources), 1, 2]


def test_shares_give_way_when_nothing_else_is_left() -> None:
    settings = Settings(diversity=0, same=1, page_share=0.1, site_share=0.1)
    assert chosen(at(0, 30, 60), [1, 2, 3], 3, settings, [source("https://a.org/1")] * 3) == [2, 1, 0]


@pytest.mark.parametrize("url", ["", "https://"])
def test_sentences_of_unknown_pages_share_nothing(url: str) -> None:
    settings = Settings(diversity=0, same=1, page_share=0.1, site_share=0.1)
    sources = [source("https://a.org/1"), source("https://a.org/1"), source(url), source(url)]
    assert chosen(at(0, 30, 60, 90), [4, 3, 2, 1], 4, settings, sources) == [0, 2, 3, 1]


@pytest.mark.parametrize(("k", "expected"), [(0, []), (1, [1]), (2, [1, 0]), (99, [1, 0])])
def test_at_most_k(k: int, expected: list[int]) -> None:
    assert chosen(at(0, 90), [1, 2], k, Settings()) == expected
