"""Where steps find evidence, and what becomes of strange corpora."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from src.errors import StoreError
from src.knowledge_store import KnowledgeStore
from src.programs.answerers.evidence import (
    LONGEST,
    CachedEvidence,
    CorpusEvidence,
    GoldEvidence,
    NoEvidence,
    OneStep,
    Passages,
    StoreEvidence,
)
from src.programs.functions import Call
from src.programs.records import Function
from src.records import Document, Paragraph, Sentence
from src.reranking.corpus.corpus import Corpus
from src.store import encode_lines

PARAGRAPHS = [
    Paragraph("Lund", "A town by the river Höje."),
    Paragraph("Lund", "A town in the south, with a cathedral."),
    Paragraph("Empty", ""),
    Paragraph("Huge", "windmill " * 600_000),
    Paragraph("Berg", "Anna Berg built a bridge."),
]


def call(text: str, claim_id: int = 0) -> Call:
    return Call(claim_id, Function.VERIFY, text)


def test_gold_passages_are_those_of_the_claim_for_every_step() -> None:
    source = GoldEvidence({3: [Sentence("A town.", "Lund"), Sentence("A bridge.", "")]})
    one, other, none = source.find([call("x", 3), call("y", 3), call("x", 4)])
    assert one == other
    assert [(passage.sentence, passage.url) for passage in one] == [("A town.", "Lund"), ("A bridge.", "")]
    assert none == ()
    assert NoEvidence().find([call("x")]) == [None]


def test_a_corpus_with_equal_titles_empty_and_huge_pages() -> None:
    source = CorpusEvidence(Corpus.of(PARAGRAPHS).bm25, 3)
    town, mill, nothing, silent = source.find([call("Lund is a town"), call("a windmill"), call("zzz"), call("?")])
    assert [passage.url for passage in town][:2] == ["Lund", "Lund"]
    assert town[0].score >= town[1].score
    assert mill[0].url == "Huge"
    assert len(mill[0].sentence.split()) == LONGEST
    assert (nothing, silent) == ((), ())


def test_what_only_repeats_the_claim_answers_no_step(tmp_path: Path) -> None:
    pages = [Document(url="https://chat.example/1", url2text=["Ann sang in Lund!", "Share this with everyone."]),
             Document(url="https://b.example/2", url2text=["Ann sang in Lund, according to the minutes."])]  # fmt: skip
    (tmp_path / "0.json").write_bytes(encode_lines(pages))
    store = KnowledgeStore(tmp_path)
    (passages,) = StoreEvidence(store, 3, claims={0: "Ann sang in Lund."}).find([call("Ann sang in Lund")])
    assert [one.url for one in passages] == ["https://b.example/2"]
    (passages,) = StoreEvidence(store, 3).find([call("Ann sang in Lund")])
    assert [one.url for one in passages] == ["https://chat.example/1", "https://b.example/2"]


def test_sentences_of_the_claims_own_store(tmp_path: Path) -> None:
    pages = [Document(url="https://a.example/1", url2text=["Ann sang in Lund.", "It rained.", "Ann sang."]),
             Document(url="https://b.example/2", url2text=["Ben danced."])]  # fmt: skip
    (tmp_path / "0.json").write_bytes(encode_lines(pages))
    source = StoreEvidence(KnowledgeStore(tmp_path), 2)
    singing, dance, none = source.find([call("Ann sang in Lund"), call("Ben danced"), call("snow")])
    assert [passage.sentence for passage in singing] == ["Ann sang in Lund.", "Ann sang."]
    assert (dance[0].sentence, dance[0].url) == ("Ben danced.", "https://b.example/2")
    assert none == ()
    with pytest.raises(StoreError):
        source.find([call("Ann", 1)])


class Noting(CorpusEvidence):
    """Records the texts of the calls that it receives."""

    queries: list[list[str]]

    def find(self, calls: Sequence[Call]) -> list[Passages]:
        self.queries = [*getattr(self, "queries", []), [one.text for one in calls]]
        return super().find(calls)


def test_one_step_retrieves_with_the_claim_once_for_all_steps() -> None:
    noting = Noting(Corpus.of(PARAGRAPHS).bm25, 1)
    source = OneStep(noting, {0: "Anna Berg", 1: "a cathedral"})
    passages = source.find([call("Lund is a town"), call("a windmill"), call("x", 1)])
    assert noting.queries == [["Anna Berg", "a cathedral"]]
    assert [[passage.url for passage in one or ()] for one in passages] == [["Berg"], ["Berg"], ["Lund"]]


def test_what_was_found_for_a_call_is_not_looked_up_again() -> None:
    noting = Noting(Corpus.of(PARAGRAPHS).bm25, 1)
    source = CachedEvidence(noting)
    first = source.find([call("Anna Berg"), call("Anna Berg")])
    again = source.find([call("a cathedral"), call("Anna Berg")])
    assert noting.queries == [["Anna Berg"], ["a cathedral"]]
    assert again[1] == first[0] == first[1]
    assert source.find([call("Anna Berg")]) == first[:1]
    assert len(noting.queries) == 2
