"""Indexes kept beside a store: the same ranking from them, made again when they cannot be right, and said so."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from src.records import Document
from src.reranking import published_ranking
from src.reranking.bm25_sentences import main
from src.runner.manifest import read_manifest
from src.store import encode_lines
from src.text import numbered_words
from src.vocabulary import NumberedWords
from tests.runner.small_world import World, outcome, write_world


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setattr("src.reranking.index_cache.KEPT_FROM", 2)
    return write_world(tmp_path)


def rank(world: World, *flags: str) -> int:
    paths = ["-k", str(world.store), "-c", str(world.claims), "-o", str(world.output)]
    return main([*paths, "--quiet", "--overwrite", *flags])


def counts(world: World) -> dict[str, int]:
    manifest = read_manifest(world.output)
    assert manifest is not None
    return {name: count for name, count in manifest.counts.items() if name != "sentences"}


def notes(world: World) -> list[str]:
    manifest = read_manifest(world.output)
    assert manifest is not None
    return manifest.notes


def index_files(world: World) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in world.folder.glob("knowledge_store.index/*")}


def test_indexes_stand_beside_the_store_and_give_the_same_bytes(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    assert rank(world, "--no_index") == 0
    expected = outcome(world.output)
    assert index_files(world) == {}
    assert rank(world) == 0
    assert sorted(index_files(world)) == ["0.bm25", "1.bm25", "2.bm25"]  # claim 3 has one sentence
    assert outcome(world.output) == expected
    numbered_texts: list[Sequence[str]] = []

    def watched(texts: Sequence[str]) -> NumberedWords:
        numbered_texts.append(texts)
        return numbered_words(texts)

    monkeypatch.setattr(published_ranking, "NLTK_WORDS", replace(published_ranking.NLTK_WORDS, numbered=watched))
    assert rank(world) == 0
    assert outcome(world.output) == expected
    assert numbered_texts == [["Prices rose by 4 per cent."]]
    assert (counts(world), notes(world)) == ({}, [])


def test_a_changed_store_is_indexed_again_with_a_note(world: World) -> None:
    assert rank(world) == 0
    for claim_id in (0, 2):
        page = Document(url="https://new.example/", url2text=["The river froze.", "A ferry sank, said the mayor.", "x"])
        world.page_file(claim_id).write_bytes(encode_lines([page]))
    assert rank(world) == 0
    assert counts(world) == {"stores_changed": 2}
    assert notes(world) == ["stores changed since they were indexed, indexed again: 2"]
    assert b"The river froze." in world.output.read_bytes()
    assert rank(world) == 0
    assert notes(world) == []


def flipped(data: bytes) -> bytes:
    return data[:-9] + bytes([data[-9] ^ 1]) + data[-8:]


@pytest.mark.parametrize(
    "spoil",
    [lambda data: data[: len(data) // 2], lambda data: b"", flipped, lambda data: data.replace(b"bm25 1", b"bm25 0")],
)  # fmt: skip
def test_a_damaged_index_is_made_again(world: World, spoil: Callable[[bytes], bytes]) -> None:
    assert rank(world) == 0
    expected = outcome(world.output)
    path = world.folder / "knowledge_store.index" / "1.bm25"
    path.write_bytes(spoil(path.read_bytes()))
    assert rank(world) == 0
    assert outcome(world.output) == expected
    assert counts(world) == {"indexes_unusable": 1}
    assert notes(world) == ["kept indexes or vectors damaged or made otherwise, made again: 1"]
    assert rank(world) == 0
    assert counts(world) == {}


def test_a_place_that_cannot_be_written_is_a_note(world: World) -> None:
    (world.folder / "taken").write_bytes(b"a file")
    assert rank(world, "--index_dir", str(world.folder / "taken")) == 0
    assert counts(world) == {"indexes_not_kept": 3}
    assert notes(world) == [f"indexes not kept, since {world.folder / 'taken'} cannot be written: 3"]


def test_a_dry_run_keeps_nothing(world: World) -> None:
    assert rank(world, "--dry_run") == 0
    assert index_files(world) == {}


def test_index_flags_do_not_make_it_another_run(world: World) -> None:
    flags = ["-k", str(world.store), "-c", str(world.claims), "-o", str(world.output), "--quiet"]
    assert rank(world) == 0
    assert main([*flags, "--no_index", "--workers", "3"]) == 0
    assert main([*flags, "--retriever", "rank_bm25"]) == 2


def test_the_library_gives_the_same_bytes(world: World) -> None:
    world.page_file(2).write_bytes(b"")
    world.page_file(3).write_bytes(encode_lines([Document(url="u", url2text=["", " ", ""])]))
    assert rank(world) == 0
    expected = outcome(world.output)
    assert rank(world, "--retriever", "rank_bm25") == 0
    assert outcome(world.output) == expected


def test_several_workers_give_the_same_bytes_and_failures(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.page_file(1).write_bytes(b"{")
    assert rank(world, "--workers", "1") == 1
    expected = outcome(world.output)
    monkeypatch.setattr("src.pipeline.rank.WORTH_A_WORKER", 1)
    assert rank(world, "--workers", "2") == 1
    result = outcome(world.output)
    assert result["result.json"] == expected["result.json"]
    assert result["result.failures.jsonl"].count(b"line 1: the JSON ends too early") == 2
