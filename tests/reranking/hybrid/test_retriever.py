"""Hybrid retrieval of one claim's file: what is chosen from which pages, with its neighbours and its reason."""

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.knowledge_store import ClaimFile
from src.records import ChosenSentence, Claim, Document
from src.reranking.claim_ranking import Best, RetrievalQuery
from src.reranking.hybrid.retriever import HybridRetriever
from src.reranking.hybrid.settings import Settings
from src.store import encode_lines
from tests.word_encoder import WordEncoder

ALL = Settings(same=1, page_share=1, site_share=1)
ANY_PAGES = st.lists(
    st.builds(
        Document,
        url=st.sampled_from(["https://a.example/", "https://b.example/x", "", "x"]),
        url2text=st.lists(st.sampled_from(["The ferry sank.", "", "May"]) | st.text(max_size=30), max_size=6),
    ),
    max_size=6,
)
PAGES = [
    Document(url="https://a.example/", url2text=["The ferry sank.", "", "It was May."]),
    Document(url="https://b.example/", url2text=[]),
    Document(url="https://c.example/", url2text=["Why a ferry sank in May."]),
    Document(url="https://a.example/", url2text=["Once more: a ferry.", "Nobody knows."]),
]
CLAIM = Claim("The ferry sank in May.", 3)


def found_in(pages: Sequence[Document], folder: Path | None = None, k: int = 99, settings: Settings = ALL,
             refuse: Callable[[Document], str] = lambda page: "",
             passage_words: int | None = None) -> Best:  # fmt: skip
    def refused(claim_id: int, path: Path, pages: Sequence[Document]) -> list[str]:
        assert (claim_id, path.name) == (3, "3.json")
        return [refuse(page) for page in pages]

    file = ClaimFile(Path("store") / "3.json", encode_lines(pages))
    retriever = HybridRetriever(WordEncoder(), settings, folder, "float16", refused, passage_words)
    return retriever(RetrievalQuery(CLAIM), file, file.sentences(), k)


def chosen(best: Best) -> dict[str, ChosenSentence]:
    assert all(isinstance(one, ChosenSentence) for one in best.sentences)
    return {one.sentence: one for one in best.sentences if isinstance(one, ChosenSentence)}


def test_neighbours_stand_on_the_same_page() -> None:
    sentences = chosen(found_in(PAGES))
    assert len(sentences) == 6
    around = {text: (one.before, one.after) for text, one in sentences.items()}
    assert around == {
        "The ferry sank.": ("", ""),
        "": ("The ferry sank.", "It was May."),
        "It was May.": ("", ""),
        "Why a ferry sank in May.": ("", ""),
        "Once more: a ferry.": ("", "Nobody knows."),
        "Nobody knows.": ("Once more: a ferry.", ""),
    }
    assert {one.url for one in sentences.values()} == {"https://a.example/", "https://c.example/"}


def test_the_number_of_passages_is_k() -> None:
    first = Document(url="https://a.example/", url2text=["The ferry sank in May.", "In May the ferry sank again."])
    second = Document(url="https://b.example/", url2text=["A ferry."])
    free = Settings(diversity=0, same=1, page_share=1, site_share=1)
    sentences = found_in([first, second], k=2, settings=free).sentences
    assert [one.url for one in sentences] == [first.url, first.url]
    passages = found_in([first, second], k=2, settings=free, passage_words=60).sentences
    assert [one.sentence for one in passages] == [" ".join(first.url2text), "A ferry."]


def test_reasons_rank_all_candidates() -> None:
    best = found_in(PAGES)
    reasons = [one.reason for one in chosen(best).values() if one.reason]
    assert sorted(reason.bm25_rank for reason in reasons) == sorted(reason.cosine_rank for reason in reasons)
    assert [reason.bm25_rank for reason in reasons if reason.bm25_rank == 1] == [1]
    by_rank = sorted(reasons, key=lambda reason: reason.bm25_rank)
    assert [one.bm25 for one in by_rank] == sorted((one.bm25 for one in reasons), reverse=True)
    by_rank = sorted(reasons, key=lambda reason: reason.cosine_rank)
    assert [one.cosine for one in by_rank] == sorted((one.cosine for one in reasons), reverse=True)


def test_refused_pages_are_neither_chosen_nor_beside() -> None:
    best = found_in(PAGES, refuse=lambda page: "no" if page.url == "https://a.example/" else "")
    assert [one.sentence for one in best.sentences] == ["Why a ferry sank in May."]
    assert best.counts["refused_pages"] == 2
    assert "refused_pages" not in found_in(PAGES).counts


def test_all_pages_refused_is_nothing_found(tmp_path: Path) -> None:
    best = found_in(PAGES, tmp_path / "index", refuse=lambda page: "no")
    assert (best.sentences, best.counts["refused_pages"], best.counts["texts_encoded"]) == ([], 4, 0)
    assert not (tmp_path / "index").exists()


def test_pages_without_sentences_do_not_shift_places() -> None:
    empty = [Document(url="https://empty.example/", url2text=[])] * 3
    plain, among = found_in(PAGES), found_in([*empty, PAGES[0], *empty, *PAGES[1:], *empty])
    assert among.sentences == plain.sentences


def test_no_pages() -> None:
    assert found_in([]).sentences == []


def test_results_with_and_without_stored_vectors_are_equal(tmp_path: Path) -> None:
    fresh, silent = found_in(PAGES, tmp_path), found_in(PAGES)
    again = found_in(PAGES, tmp_path)
    assert fresh.sentences == again.sentences == silent.sentences
    assert fresh.counts == {"texts_encoded": 7, "vectors_recalled": 0}  # six sentences and the claim
    assert again.counts == {"texts_encoded": 0, "vectors_recalled": 7}
    assert [path.name for path in tmp_path.iterdir()] == ["3.vectors"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("index")


@given(pages=ANY_PAGES, k=st.integers(1, 12))
def test_any_pages_fresh_recalled_and_not_kept(folder: Path, pages: list[Document], k: int) -> None:
    silent = found_in(pages, None, k, Settings())
    with TemporaryDirectory(dir=folder) as index_dir, patch("src.reranking.index_cache.KEPT_FROM", 2):
        fresh = found_in(pages, Path(index_dir), k, Settings())
        again = found_in(pages, Path(index_dir), k, Settings())
    assert encode_lines(fresh.sentences) == encode_lines(again.sentences) == encode_lines(silent.sentences)
    assert again.counts.get("texts_encoded", 0) == 0
    assert len(fresh.sentences) <= k
