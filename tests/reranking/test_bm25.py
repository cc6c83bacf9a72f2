"""BM25 equals rank_bm25 to the last bit, on invented and on real sentences.

rank_bm25 divides by zero where there is no text or no word at all; there the scores here are zeros.
"""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from src.knowledge_store import KnowledgeStore
from src.reranking.bm25 import BM25, sum_in_order
from src.store import read_claims
from src.text import words
from tests.word_lists import numbered_lists

# Few letters make words repeat, stand in more than half of the texts, and be unknown to the query.
word = st.sampled_from(["a", "b", "c", "Ä", "中", "\U0001f600", ".", "''"]) | st.text(max_size=3)
text = st.lists(word, max_size=12)
corpora = st.lists(text, min_size=1, max_size=30).filter(any)


def assert_equal(texts: Sequence[Sequence[str]], queries: Sequence[Sequence[str]]) -> None:
    """Of an index just made, and of one kept and recalled."""
    made, theirs = BM25.of(numbered_lists(texts)), BM25Okapi(texts)
    with TemporaryDirectory() as folder:
        made.keep(Path(folder) / "kept", {"store": "x"})
        recalled = BM25.recall(Path(folder) / "kept", {"store": "x"})
    for ours in (made, recalled):
        assert_scores(ours, theirs, texts, queries)


def assert_scores(ours: BM25, theirs: BM25Okapi, texts: Sequence[object], queries: Sequence[Sequence[str]]) -> None:
    for query in queries:
        expected = theirs.get_scores(query)
        scores = ours.scores(query)
        assert (scores == expected).all()
        assert scores.dtype == expected.dtype
        for k in (1, len(texts) - 1, len(texts), len(texts) + 7):
            assert ours.top(query, k) == [int(place) for place in np.argsort(expected)[::-1][:k]]


@given(corpora, st.lists(text, min_size=1, max_size=3))
@example([["a"]], [["a"]])
@example([["a", "a"], ["a"], ["a", "b"]], [["a"], ["a", "a", "b"], ["z"], []])
@example([[], ["a"], []], [["a"], []])
@example([["same", "text"]] * 20, [["same"], ["text", "same"]])
def test_invented_texts(texts: list[list[str]], queries: list[list[str]]) -> None:
    assert_equal(texts, queries)


@pytest.mark.parametrize(
    "sentences",
    [
        ["The vote was held.", "The vote was not held.", "The the THE", ""],
        ["one sentence only"],
        ["?!", "...", "''", "word"],
        ["Straße", "STRASSE", "\u0440\u0435\u043a\u0430", "na\u00efve", "nai\u0308ve", "\u200f\u0645\u0631\u062d held"],
        ["a b", "b a"] * 40 + ["c"],
    ],
)  # fmt: skip
def test_cut_sentences(sentences: list[str]) -> None:
    assert_equal([words(text) for text in sentences], [words(text) for text in [*sentences, "The vote was held."]])


def test_a_word_of_most_texts_gets_the_floor() -> None:
    texts = [["a", "b"], ["a", "c"], ["a", "d"], ["e"]]
    floor = BM25Okapi(texts).idf["a"]
    assert floor > 0
    assert BM25.of(numbered_lists(texts)).scores(["a"])[0] > 0
    assert_equal(texts, [["a"], ["a", "b"]])


@pytest.mark.parametrize("texts", [[], [[]], [[], [], []]])
def test_texts_without_words_score_nothing(texts: list[list[str]]) -> None:
    index = BM25.of(numbered_lists(texts))
    assert index.scores(["a"]).tolist() == [0.0] * len(texts)
    assert sorted(index.top(["a"], 5)) == list(range(len(texts)))
    assert index.top(["a"], 0) == []


def test_a_query_may_be_any_iterable() -> None:
    index = BM25.of(numbered_lists([["a"], ["b"]]))
    assert (index.scores(iter(["a", "b"])) == index.scores(("a", "b"))).all()


def test_sums_are_plain_on_every_python() -> None:
    values = [1e16, 1.0, -1e16, 0.1] * 9
    total = 0.0
    for value in values:
        total += value
    assert sum_in_order(values) == total


@pytest.mark.parametrize("claim_id", [0, 1, 16, 57, 150, 245, 296, 333, 410, 499])
def test_real_stores(shared_data: Path, claim_id: int) -> None:
    claim = read_claims(shared_data / "averitec" / "dev.json")[claim_id]
    sentences = KnowledgeStore(shared_data / "averitec" / "knowledge_store" / "dev").sentences(claim_id)
    assert sentences
    assert_equal([words(sentence.sentence) for sentence in sentences], [words(claim.claim)])


def test_a_pooled_real_store(shared_data: Path) -> None:
    claims = read_claims(shared_data / "averitec" / "dev.json")[:30]
    store = KnowledgeStore(shared_data / "averitec" / "knowledge_store" / "dev")
    sentences = [words(sentence.sentence) for claim in claims for sentence in store.sentences(claim.claim_id)]
    assert_equal(sentences, [words(claim.claim) for claim in claims[:5]])
