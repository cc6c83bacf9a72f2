"""A corpus finds what BM25 over titles and texts finds; its index is kept, checked, and made again when need be."""

import gzip
import shutil
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import msgspec
import pytest
from rank_bm25 import BM25Okapi

from src.errors import InputError, OutputError
from src.records import Paragraph
from src.reranking.corpus.corpus import Corpus, CorpusHit
from src.reranking.hybrid.own_words import own_words
from src.store import encode_lines, read_records
from tests.word_encoder import WordEncoder

PARAGRAPHS = [
    Paragraph("Mount Erebus", "An active volcano in Antarctica, on Ross Island."),
    Paragraph("Ross Island", "An island of volcanoes in the Ross Sea."),
    Paragraph("Scott Base", "A research station of New Zealand."),
    Paragraph("", ""),
    Paragraph("Scott Base", "A research station of New Zealand."),
]
QUERIES = ["Which volcanoes stand on Ross Island?", "Zealand's research", "the of", "", "zyzzyva", "Erebus Erebus sea"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "paragraphs.jsonl"
    path.write_bytes(encode_lines(PARAGRAPHS))
    return path


def by_rank_bm25(paragraphs: Sequence[Paragraph], query: str, k: int) -> list[CorpusHit]:
    words = [own_words(f"{one.title} {one.text}") for one in paragraphs]
    scores = BM25Okapi(words).get_scores(own_words(query))
    holders = [place for place, own in enumerate(words) if not set(own).isdisjoint(own_words(query))]
    best = sorted(holders, key=lambda place: (-scores[place], place))[:k]
    return [CorpusHit(place, scores[place], paragraphs[place]) for place in best]


@pytest.mark.parametrize("k", [0, 1, 2, 3, 5, 50])
def test_hits_are_those_of_bm25_in_memory_from_the_file_and_from_the_kept_index(file: Path, k: int) -> None:
    expected = [by_rank_bm25(PARAGRAPHS, query, k) for query in QUERIES]
    for corpus in (Corpus.of(PARAGRAPHS), Corpus.open(file), Corpus.open(file)):
        assert len(corpus) == len(PARAGRAPHS)
        assert corpus.bm25(QUERIES, k) == expected
        assert corpus.bm25([], k) == []


def test_a_word_of_the_title_alone_finds_its_paragraph() -> None:
    assert [hit.place for hit in Corpus.of(PARAGRAPHS).bm25(["Erebus"], 5)[0]] == [0]


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
def test_small_corpora_find_what_holds_a_word(size: int) -> None:
    """Where half of the paragraphs hold a word, it counts nothing or less."""
    corpus = Corpus.of(PARAGRAPHS[:size])
    assert corpus.bm25(QUERIES, 5) == [by_rank_bm25(PARAGRAPHS[:size], query, 5) for query in QUERIES]
    assert corpus.bm25(["Erebus"], 5)[0][0].place == 0


def test_equal_paragraphs_come_in_their_order() -> None:
    assert [hit.place for hit in Corpus.of(PARAGRAPHS).bm25(["Scott"], 5)[0]] == [2, 4]


def test_a_corpus_without_paragraphs_finds_nothing() -> None:
    assert Corpus.of([]).bm25(["Erebus"], 5) == [[]]


def test_dense_and_hybrid_weigh_every_paragraph(file: Path) -> None:
    for corpus in (Corpus.of(PARAGRAPHS, WordEncoder()), Corpus.open(file, encoder=WordEncoder())):
        assert [hit.place for hit in corpus.dense(["a research station"], 2)[0]] == [2, 4]
        [words, both, neither] = corpus.hybrid(["volcanoes Ross", "station of Scott", "zyzzyva"], 9)
        assert [hit.place for hit in words][:2] == [1, 0]
        assert [hit.place for hit in both][:2] == [2, 4]
        assert sorted(hit.place for hit in neither) == [0, 1, 2, 3, 4]
        assert corpus.hybrid(QUERIES, 0) == [[]] * len(QUERIES)
        cosine = corpus.dense(["station of Scott"], 1)[0][0].score
        assert both[0].score == pytest.approx(0.5 + 0.5 * cosine)


def test_more_queries_than_are_held_at_once() -> None:
    corpus = Corpus.of(PARAGRAPHS, WordEncoder())
    assert corpus.hybrid(QUERIES * 20, 3) == corpus.hybrid(QUERIES, 3) * 20


def test_without_an_encoder_there_is_no_dense_search() -> None:
    for search in (Corpus.of(PARAGRAPHS).dense, Corpus.of(PARAGRAPHS).hybrid):
        with pytest.raises(ValueError, match="without an encoder"):
            search(QUERIES, 3)


def test_a_stored_index_is_loaded_and_not_rebuilt(file: Path) -> None:
    Corpus.open(file)
    index = file.with_name("paragraphs.jsonl.index") / "bm25"
    before = index.stat().st_ino
    Corpus.open(file)
    assert index.stat().st_ino == before


def test_the_index_of_a_changed_file_is_made_again(file: Path) -> None:
    Corpus.open(file)
    changed = [*PARAGRAPHS[::-1], Paragraph("Mawson", "A station of Australia.")]
    file.write_bytes(encode_lines(changed))
    assert Corpus.open(file).bm25(QUERIES, 9) == [by_rank_bm25(changed, query, 9) for query in QUERIES]


@pytest.mark.parametrize("name", ["bm25", "paragraphs", "source.json"])
@pytest.mark.parametrize("length", [0, 7, 100, None])
def test_an_index_half_there_is_made_whole(file: Path, name: str, length: int | None) -> None:
    folder = file.with_name("paragraphs.jsonl.index")
    whole = Corpus.open(file).bm25(QUERIES, 9)
    if length is None:
        (folder / name).unlink()
    else:
        (folder / name).write_bytes((folder / name).read_bytes()[:length])
    assert Corpus.open(file).bm25(QUERIES, 9) == whole
    assert sorted(path.name for path in folder.iterdir()) == ["bm25", "paragraphs", "source.json"]


def test_the_index_may_stand_elsewhere_and_moves_with_its_file(file: Path, tmp_path: Path) -> None:
    whole = Corpus.open(file, tmp_path / "index").bm25(QUERIES, 9)
    copy = tmp_path / "copy.jsonl"
    shutil.copy(file, copy)
    inode = (tmp_path / "index" / "bm25").stat().st_ino
    assert Corpus.open(copy, tmp_path / "index").bm25(QUERIES, 9) == whole
    assert (tmp_path / "index" / "bm25").stat().st_ino == inode


def test_an_index_that_cannot_be_written_is_an_error(file: Path) -> None:
    file.with_name("paragraphs.jsonl.index").write_text("in the way")
    with pytest.raises(OutputError, match=r"paragraphs\.jsonl\.index: .*name another folder"):
        Corpus.open(file)


def test_no_file_leaves_no_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not found"):
        Corpus.open(tmp_path / "none.jsonl")
    assert not list(tmp_path.iterdir())


def _titles(file: Path) -> list[str]:
    return [hit.paragraph.title for hit in Corpus.open(file).bm25(["Ross Island"], 2)[0]]


def test_processes_that_open_at_once_agree(file: Path) -> None:
    with ProcessPoolExecutor(4, get_context("fork")) as pool:
        assert list(pool.map(_titles, [file] * 8)) == [["Ross Island", "Mount Erebus"]] * 8


class Hover(msgspec.Struct):
    claim: str
    supporting_facts: list[tuple[str, int]]


def test_hover_paragraphs(shared_data: Path, tmp_path: Path) -> None:
    """Of the paragraphs that support the claims, most are among its ten best (words as published: .83)."""
    corpus = Corpus.open(shared_data / "programfc" / "hover_wiki_paragraphs.jsonl.gz", tmp_path)
    claims = read_records(shared_data / "programfc" / "hover_dev_gold_evidence.jsonl.gz", Hover)[::10]
    rankings = corpus.bm25([claim.claim for claim in claims], 10)
    shares = []
    for claim, hits in zip(claims, rankings, strict=True):
        gold, titles = {title for title, _ in claim.supporting_facts}, {hit.paragraph.title for hit in hits}
        shares.append(len(gold & titles) / len(gold))
    assert sum(shares) / len(shares) > 0.85


def test_gzip_is_entered_at_any_place(file: Path, tmp_path: Path) -> None:
    packed = tmp_path / "paragraphs.jsonl.gz"
    packed.write_bytes(gzip.compress(file.read_bytes()))
    for _ in range(2):
        assert Corpus.open(packed).bm25(QUERIES, 9) == Corpus.open(file).bm25(QUERIES, 9)


def test_linked_finds_pages_that_the_best_hits_name(file: Path) -> None:
    """ "Ross Island" is named by the page of the volcano, and has no word of the query."""
    for corpus in (Corpus.of(PARAGRAPHS, titles=True), Corpus.open(file, titles=True), Corpus.open(file, titles=True)):
        [plain], [linked] = corpus.bm25(["Antarctica"], 5), corpus.linked(["Antarctica"], 5)
        assert [hit.place for hit in plain] == [0]
        assert [hit.place for hit in linked] == [0, 1]
        assert linked[1].score == pytest.approx(linked[0].score / 2)
        assert corpus.linked(["zyzzyva", ""], 5) == [[], []]


def test_linked_adds_to_what_a_page_has_itself() -> None:
    corpus = Corpus.of(PARAGRAPHS, titles=True)
    scores = {hit.place: hit.score for hit in corpus.bm25(["volcano in the sea"], 5)[0]}
    raised = {hit.place: hit.score for hit in corpus.linked(["volcano in the sea"], 5)[0]}
    assert raised[1] == pytest.approx(scores[1] + scores[0] / 2)
    assert raised[0] == scores[0]


def test_linked_without_titles_is_refused() -> None:
    with pytest.raises(ValueError, match="without its titles"):
        Corpus.of(PARAGRAPHS).linked(["Erebus"], 5)


def test_a_page_does_not_link_to_its_own_paragraphs() -> None:
    pages = [Paragraph("Lund", "A windmill of Lund."), Paragraph("Lund", "A town."), Paragraph("Scott Base", "Cold.")]
    assert [hit.place for hit in Corpus.of(pages, titles=True).linked(["windmill"], 5)[0]] == [0]


def test_an_index_in_memory_writes_no_file_beside_the_corpus(file: Path) -> None:
    before = sorted(file.parent.iterdir())
    corpus = Corpus.open(file, keep=False)
    assert sorted(file.parent.iterdir()) == before
    assert corpus.bm25(["mill"], 3) == Corpus.open(file).bm25(["mill"], 3)
