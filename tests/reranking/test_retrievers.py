"""The table of retrievers, and that a new one is one function and one line of it."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from src.errors import InputError
from src.knowledge_store import ClaimFile
from src.records import Claim, Document, Sentence
from src.reranking import bm25_sentences
from src.reranking.claim_ranking import Best, RetrievalQuery
from src.reranking.retriever_settings import RetrieverSettings
from src.reranking.retrievers import HYBRID, RETRIEVERS, NamedRetriever, retrievers_help
from src.reranking.top_file import read_ranked
from src.store import encode_lines, encode_list


class Longest:
    """Gives the longest sentences."""

    def __call__(self, query: RetrievalQuery, file: ClaimFile, sentences: Sequence[Sentence], k: int) -> Best:
        return Best(sorted(sentences, key=lambda one: -len(one.sentence))[:k])


def longest(settings: RetrieverSettings) -> Longest:
    return Longest()


@pytest.fixture
def world(tmp_path: Path) -> list[str]:
    """A claim with three sentences; the flags that name it."""
    (tmp_path / "claims.json").write_bytes(encode_list([Claim("Eels swim far.", 0)]))
    (tmp_path / "store").mkdir()
    page = Document(url="https://a.example/", url2text=["Eels swim.", "Nobody has ever seen where they go.", "Far."])
    (tmp_path / "store" / "0.json").write_bytes(encode_lines([page]))
    files = ["-c", str(tmp_path / "claims.json"), "-k", str(tmp_path / "store"), "-o", str(tmp_path / "top.json")]
    return [*files, "--no_index", "--quiet", "--top_k", "2"]


def test_a_new_retriever_is_one_line_of_the_table(
    world: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(RETRIEVERS, "longest", NamedRetriever(longest, "the longest sentences"))
    assert bm25_sentences.main([*world, "--retriever", "longest"]) == 0
    (ranked,) = read_ranked(tmp_path / "top.json")
    assert [one.sentence for one in ranked.sentences] == ["Nobody has ever seen where they go.", "Eels swim."]
    assert "longest: the longest sentences" in retrievers_help()
    assert "longest" in bm25_sentences.main.parser.format_help()


def test_a_name_that_is_not_in_the_table_is_one_line(world: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        bm25_sentences.main([*world, "--retriever", "nope"])
    stderr = capsys.readouterr().err
    assert ended.value.code == 2
    assert stderr.startswith("error: argument --retriever: invalid choice: 'nope'")
    assert stderr.count("\n") == 1


@pytest.mark.parametrize("name", [name for name, one in RETRIEVERS.items() if not one.is_hybrid])
def test_flags_of_hybrid_retrieval_are_refused_by_others(
    name: str, world: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert bm25_sentences.main([*world, "--retriever", name, "--passages"]) == 2
    assert capsys.readouterr().err == f"error: --passages works with --retriever hybrid only, not with {name}\n"


def test_hybrid_retrieval_needs_an_encoder() -> None:
    with pytest.raises(InputError, match="needs a sentence encoder"):
        RETRIEVERS[HYBRID].make(RetrieverSettings())
