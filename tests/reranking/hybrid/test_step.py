"""`bm25_sentences --retriever hybrid` as a whole: records, filters, notes, fact-checks, workers."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from src.errors import ModelError
from src.llm import Options
from src.llm.protocol import ModelInfo, Reply, Request
from src.pipeline import rank as stage
from src.records import ChosenSentence, Claim, Document
from src.reranking import bm25_sentences
from src.reranking.top_file import read_ranked
from src.retrieval.scraping.page_log import PageLog
from src.runner.manifest import Manifest, read_manifest
from src.store import encode_lines, encode_list
from tests.reranking.hybrid.word_step import load_words
from tests.runner.small_world import World, failed, lines_of, outcome, write_script, write_world

ARTICLE = "https://checker.example/2020/11/03/the-ferry-that-sank-in-may/"
ROLE = "hypothetical_fact_check"


@pytest.fixture(autouse=True)
def _words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage, "load_encoder", load_words)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return write_world(tmp_path)


def rank(world: World, *flags: str) -> int:
    paths = ["-k", str(world.store), "-c", str(world.claims), "-o", str(world.output), "--retriever", "hybrid"]
    return bm25_sentences.main([*paths, "--quiet", *flags])


def manifest(world: World) -> Manifest:
    record = read_manifest(world.output)
    assert record is not None
    return record


def test_the_published_fields_and_beside_them_why(world: World) -> None:
    assert rank(world, "--top_k", "2") == 0
    line = msgspec.json.decode(lines_of(world.output)[0])
    assert list(line) == ["claim_id", "claim", "top_2"]
    assert (line["claim_id"], line["claim"]) == (0, "The river froze in May.")
    first: dict[str, Any] = line["top_2"][0]
    assert list(first)[:2] == ["sentence", "url"]
    assert set(first) <= {"sentence", "url", "before", "after", "reason"}
    assert first["url"] == "https://0.example/"
    assert set(first["reason"]) == {"relevance", "bm25", "bm25_rank", "cosine", "cosine_rank"}
    lonely = msgspec.json.decode(lines_of(world.output)[3])["top_2"][0]
    assert set(lonely) == {"sentence", "url", "reason"}


def test_the_next_step_reads_it_with_its_reasons(world: World) -> None:
    assert rank(world) == 0
    ranked = read_ranked(world.output)
    assert (ranked[3].claim_id, ranked[3].claim, ranked[3].top_k) == (3, "Prices doubled.", 100)
    (only,) = ranked[3].sentences
    assert (only.sentence, only.url) == ("Prices rose by 4 per cent.", "https://3.example/")
    assert isinstance(only, ChosenSentence)
    assert only.reason is not None


def test_the_manifest_names_encoder_and_counts(world: World) -> None:
    assert rank(world) == 0
    record = manifest(world)
    assert record.model["encoder"]["name"] == "words"
    assert record.model["hypothetical"] is None
    assert record.counts == {"sentences": 11, "texts_encoded": 14, "vectors_recalled": 0}  # one stands there twice
    assert record.deterministic


def leaky_world(tmp_path: Path, *, log: bool = True) -> World:
    world = write_world(tmp_path, ["The ferry sank in May.", "Prices doubled."])
    claims = [
        Claim("The ferry sank in May.", claim_date="31-5-2020", fact_checking_article=ARTICLE),
        Claim("Prices doubled.", claim_date="1-6-2020"),
    ]
    world.claims.write_bytes(encode_list(claims))
    pages = {
        "https://news.example/1": "The ferry came late in May.",
        f"https://web.archive.org/web/2021/{ARTICLE}": "Our rating: the ferry that sank in May is false.",
        "https://news.example/2": "A year on: the ferry never sank in May.",
        "https://wiki.example/": "In May a ferry is a ship.",
    }
    world.page_file(0).write_bytes(encode_lines([Document(url=url, url2text=[text]) for url, text in pages.items()]))
    if log:
        dates = ["2020-05-30", None, "2021-05-31", None]
        logs = [PageLog(row=row, url=url, date=date) for row, (url, date) in enumerate(zip(pages, dates, strict=True))]
        (world.store / "0.log.jsonl").write_bytes(encode_lines(logs))
        (world.store / "1.log.jsonl").write_bytes(b"")
    return world


def hosts(world: World) -> set[str]:
    return {one.url.partition("//")[2].partition("/")[0] for one in read_ranked(world.output)[0].sentences}


def pages_found(world: World) -> list[str]:
    return sorted(one.url for one in read_ranked(world.output)[0].sentences)


def test_own_article_and_later_pages_are_no_evidence(tmp_path: Path) -> None:
    world = leaky_world(tmp_path)
    assert rank(world) == 0
    assert pages_found(world) == ["https://news.example/1", "https://wiki.example/"]
    assert b"rating" not in world.output.read_bytes()
    assert manifest(world).counts["refused_pages"] == 2
    assert manifest(world).notes == ["1 of 2 claims name no fact-checking article that could be refused"]


def test_leak_flags(tmp_path: Path) -> None:
    world = leaky_world(tmp_path)
    assert rank(world, "--keep_fact_check") == 0
    assert hosts(world) == {"news.example", "wiki.example", "web.archive.org"}
    assert manifest(world).notes == ["fact-checking articles were kept"]
    assert rank(world, "--keep_later_pages", "--overwrite") == 0
    assert len(pages_found(world)) == 3
    assert "pages later than their claim were kept" in manifest(world).notes
    (tmp_path / "bad.txt").write_text("news.example # a rival\n", encoding="utf-8")
    assert rank(world, "--exclude_urls", str(tmp_path / "bad.txt"), "--overwrite") == 0
    assert pages_found(world) == ["https://wiki.example/"]
    assert "exclude_urls" in manifest(world).fingerprint.inputs
    (tmp_path / "bad.txt").write_text("wiki.example\n", encoding="utf-8")
    assert rank(world, "--exclude_urls", str(tmp_path / "bad.txt")) == 0  # its input changed
    assert pages_found(world) == ["https://news.example/1"]


def test_a_store_without_logs_has_a_note_on_missing_dates(tmp_path: Path) -> None:
    world = leaky_world(tmp_path, log=False)
    assert rank(world) == 0
    assert pages_found(world) == ["https://news.example/1", "https://news.example/2", "https://wiki.example/"]
    assert manifest(world).notes[1:] == [
        f"claims without a scraping log in {world.store}: 2 of 2; the dates of their pages are not known"
    ]
    assert rank(world, "--keep_later_pages", "--overwrite") == 0
    assert not any("scraping log" in note for note in manifest(world).notes)


class Writer:
    """Writes a fact-check that names the claim's last word; fails for claims with `sank`."""

    info = ModelInfo("writer", "test", "writer", deterministic=False)

    def __init__(self) -> None:
        self.batches: list[int] = []

    def complete(self, requests: Sequence[Request]) -> list[Reply]:
        self.batches.append(len(requests))
        if any("sank" in request.prompt for request in requests):
            raise ModelError("the server hung up")
        return [Reply("Ice covered it.", 10, 3, "eos") for _ in requests]


def test_a_hypothetical_fact_check_is_requested_for_every_claim(world: World) -> None:
    llm = write_script(world.folder / "script.jsonl", {ROLE: ["All were saved from ice.", "", "It saved.", "Saved."]})
    assert rank(world, "--hyde", "--llm", llm) == 0
    counts = manifest(world).counts
    assert (counts["hypotheticals"], counts["empty_hypotheticals"], counts["new_tokens"]) == (3, 1, 8)
    assert manifest(world).model["hypothetical"]["engine"] == "scripted"
    assert not manifest(world).deterministic
    assert not any("saved from ice" in one.sentence for claim in read_ranked(world.output) for one in claim.sentences)


def test_a_model_that_fails_for_some_claims_fails_those(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = Writer()

    def get_llm(spec: str, options: Options) -> Writer:
        assert spec == "smollm2"
        return writer

    monkeypatch.setattr(stage, "get_llm", get_llm)
    assert rank(world, "--hyde") == 1
    assert failed(world.output) == [1, 2]
    assert [len(claim.sentences) for claim in read_ranked(world.output)] == [3, 0, 0, 1]
    assert writer.batches == [4, 1, 1, 1, 1]
    assert manifest(world).counts["hypotheticals"] == 2


def test_an_empty_claim_takes_no_fact_check_from_the_others(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = Writer()
    monkeypatch.setattr(stage, "get_llm", lambda spec, options: writer)
    world.claims.write_bytes(encode_list([Claim(text) for text in ("Ice.", " ", "Prices doubled.", "May.")]))
    assert rank(world, "--hyde") == 1
    assert failed(world.output) == [1]
    assert writer.batches == [1, 1, 1]
    assert manifest(world).counts["hypotheticals"] == 3


def test_workers_give_the_same_bytes(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    assert rank(world, "--workers", "1", "--no_index") == 0
    expected = outcome(world.output)
    monkeypatch.setattr(stage, "WORTH_A_WORKER", 1)
    for _ in ("fresh", "recalled"):
        assert rank(world, "--workers", "2", "--overwrite") == 0
        assert outcome(world.output) == expected
    assert manifest(world).counts["texts_encoded"] == 0
    assert len(list(world.folder.glob("knowledge_store.index/*.vectors"))) == 4
