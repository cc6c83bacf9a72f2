"""What is retrieved from any sentences: no place twice, at most k, only what is allowed, the same for the same."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.records import Claim, Sentence
from src.reranking.bm25 import BM25
from src.reranking.hybrid.own_words import cut
from src.reranking.hybrid.retrieval import Hit, ranks, retrieve
from src.reranking.hybrid.settings import Settings
from src.reranking.hybrid.vectors import KeptVectors
from src.vocabulary import numbered
from tests.word_encoder import WordEncoder

CLAIM = Claim("The ferry sank in May.", 0, speaker="Ada Byron", claim_date="31-5-2020")
ALL = Settings(same=1, page_share=1, site_share=1)

sentences_of_any_kind = st.lists(
    st.one_of(
        st.sampled_from(["The ferry sank in May.", "A ferry.", "", " ", "May 2020", "the the", "x" * 5000]),
        st.text(max_size=40),
    ),
    max_size=30,
)
urls = st.sampled_from(["https://a.org/1", "https://a.org/2", "https://b.org/", "", "no address"])


def found_in(texts: Sequence[str], k: int = 10, settings: Settings = Settings(), claim: Claim = CLAIM,  # noqa: B008
             allowed: Sequence[bool] | None = None, hypothetical: str = "",
             url: str = "https://a.org/") -> list[Hit]:  # fmt: skip
    sentences = [Sentence(text, url) for text in texts]
    return retrieve(
        claim, sentences, BM25.of(numbered(texts, cut)), KeptVectors(None, "", WordEncoder()), k, settings,
        allowed=None if allowed is None else np.array(allowed, np.bool_), hypothetical=hypothetical,
    )  # fmt: skip


def places(hits: Sequence[Hit]) -> list[int]:
    return [one.place for one in hits]


@given(texts=sentences_of_any_kind, k=st.integers(1, 40), drawn=st.data())
def test_any_sentences(texts: list[str], k: int, drawn: st.DataObject) -> None:
    allowed = drawn.draw(st.lists(st.booleans(), min_size=len(texts), max_size=len(texts)))
    hits = found_in(texts, k, allowed=allowed)
    chosen = places(hits)
    assert len(set(chosen)) == len(chosen) <= min(k, sum(allowed))
    assert bool(chosen) == any(allowed)
    assert all(allowed[place] for place in chosen)
    assert hits == found_in(texts, k, allowed=allowed)
    everything = found_in(texts, len(texts) + 1, ALL, allowed=allowed)
    assert sorted(places(everything)) == [place for place, may in enumerate(allowed) if may]


@given(texts=sentences_of_any_kind, hypothetical=st.text(max_size=30), claim=st.text(max_size=30))
def test_any_claim_and_any_fact_check(texts: list[str], hypothetical: str, claim: str) -> None:
    hits = found_in(texts, 5, claim=Claim(claim, 0), hypothetical=hypothetical)
    assert bool(hits) == bool(texts)
    reasons = [one.reason for one in hits]
    assert all(np.isfinite([reason.relevance, reason.bm25, reason.cosine]).all() for reason in reasons)
    assert all(-10 < reason.relevance < 10 and -1.01 < reason.cosine < 1.01 for reason in reasons)
    for of in ([reason.bm25_rank for reason in reasons], [reason.cosine_rank for reason in reasons]):
        assert len(set(of)) == len(of)
        assert all(1 <= rank <= len(texts) for rank in of)


def test_nothing_in_nothing_out() -> None:
    assert found_in([]) == []
    assert found_in(["A ferry sank."], allowed=[False]) == []


@pytest.mark.parametrize("text", ["The ferry sank in May.", "Nobody knows.", "", "ferry " * 200_000, "x" * 1_000_000])
def test_one_sentence_is_found(text: str) -> None:
    assert places(found_in([text])) == [0]


def test_all_equal_are_one() -> None:
    assert places(found_in(["The ferry sank."] * 50)) == [0]
    assert places(found_in(["The ferry sank."] * 50, 7, ALL)) == list(range(7))


@pytest.mark.parametrize("claim", ["zzz qqq", "is it the?", "\U0001f6a2"])
def test_without_a_known_word_the_first_sentences_go_on(claim: str) -> None:
    texts = [f"sentence number {number}" for number in range(20)]
    hits = found_in(texts, 4, Settings(candidates=4), Claim(claim, 0))
    assert sorted(places(hits)) == [0, 1, 2, 3]
    assert {one.reason.bm25 for one in hits} == {0.0}


def test_what_holds_a_word_of_the_claim_goes_before_the_first_sentences() -> None:
    texts = [f"sentence number {number}" for number in range(20)] + ["The ferry came."]
    assert 20 in places(found_in(texts, 4, Settings(candidates=4)))


def test_words_that_most_sentences_hold_count_against_none() -> None:
    hits = found_in(["The ferry sank in May.", "The ferry came in May.", "A ferry, May."], settings=ALL)
    assert all(one.reason.bm25 >= 0 for one in hits)


def test_with_k_above_the_candidates_k_texts_are_ranked() -> None:
    texts = [f"sentence number {number}" for number in range(20)]
    assert len(found_in(texts, 12, Settings(candidates=4, same=1))) == 12


def test_speaker_date_and_fact_check_are_queries_too() -> None:
    texts = ["Nobody knows.", "She read the news.", "Ada Byron was there.", "It was in May 2020.", "The hull broke."]
    lexical = Settings(lexical=1, substance_words=0, feedback=0, speaker=0.5, date=0.5, hypothetical=0.5)
    hits = found_in(texts, 5, lexical, Claim("zzz", 0, speaker="Ada Byron", claim_date="31-5-2020"),
                     hypothetical="A broken hull.")  # fmt: skip
    assert {one.place for one in hits if one.reason.bm25 > 0} == {2, 3, 4}


def test_ranks() -> None:
    assert ranks(np.array([0.5, 2, 0.5, -1])).tolist() == [2, 1, 3, 4]
    assert ranks(np.array([])).tolist() == []
