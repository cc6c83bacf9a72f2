"""What hybrid retrieval keeps beside a store: the same bytes with it and without, made again when it is not right."""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from src.pipeline import rank as stage
from src.records import Document
from src.reranking import bm25_sentences
from src.runner.manifest import Manifest, read_manifest
from src.store import encode_lines
from tests.models.tiny_encoder import make_sentence_encoder
from tests.reranking.hybrid.word_step import MODULE, load_words
from tests.runner.killing import finish, kill_after, start
from tests.runner.small_world import World, outcome, write_world
from tests.tiny_models import make_bert

BOTH = ["1.vectors", "1.words"]


@pytest.fixture(autouse=True)
def _words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage, "load_encoder", load_words)
    monkeypatch.setattr("src.reranking.index_cache.KEPT_FROM", 2)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return write_world(tmp_path)


def flags(world: World) -> list[str]:
    return ["-k", str(world.store), "-c", str(world.claims), "-o", str(world.output), "--retriever", "hybrid"]


def rank(world: World, *more: str) -> int:
    return bm25_sentences.main([*flags(world), "--quiet", "--overwrite", *more])


def manifest(world: World) -> Manifest:
    record = read_manifest(world.output)
    assert record is not None
    return record


def encoded(world: World) -> int:
    return manifest(world).counts["texts_encoded"]


def notes(world: World) -> list[str]:
    return [note for note in manifest(world).notes if "claims" not in note]


def kept(world: World) -> dict[str, str]:
    return {path.name: sha256(path.read_bytes()).hexdigest() for path in world.folder.glob("knowledge_store.index/*")}


def test_nothing_is_encoded_twice_and_the_bytes_are_the_same(world: World) -> None:
    assert rank(world, "--no_index") == 0
    expected = outcome(world.output)
    assert kept(world) == {}
    assert rank(world) == 0
    assert outcome(world.output) == expected
    first = kept(world)
    vectors = [f"{number}.vectors" for number in range(4)]
    assert sorted(first) == sorted([*vectors, "0.words", "1.words", "2.words"])  # claim 3 has one sentence
    assert rank(world) == 0
    assert (outcome(world.output), kept(world), encoded(world), notes(world)) == (expected, first, 0, [])


def test_int8_vectors_are_kept_too(world: World) -> None:
    assert rank(world, "--vectors", "int8", "--no_index") == 0
    expected = outcome(world.output)
    for _ in ("fresh", "recalled"):
        assert rank(world, "--vectors", "int8") == 0
        assert outcome(world.output) == expected
    assert encoded(world) == 0
    assert rank(world) == 0
    assert encoded(world) > 0
    assert notes(world) == ["kept indexes or vectors damaged or made otherwise, made again: 4"]


def test_a_changed_store_is_indexed_and_encoded_again_with_a_note(world: World) -> None:
    assert rank(world) == 0
    page = Document(url="https://new.example/", url2text=["The ferry sank at noon.", "A ferry sank, said the mayor."])
    world.page_file(1).write_bytes(encode_lines([page]))
    assert rank(world) == 0
    assert notes(world) == ["stores changed since they were indexed, indexed again: 1"]
    assert b"said the mayor." in world.output.read_bytes()
    assert rank(world) == 0
    assert (notes(world), encoded(world)) == ([], 0)


def half(data: bytes) -> bytes:
    return data[: len(data) // 2]


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize("spoil", [half, lambda data: b"", lambda data: b"{}" + data, lambda data: b"\xff" * 999])
def test_what_is_damaged_is_made_again(world: World, name: str, spoil: Callable[[bytes], bytes]) -> None:
    assert rank(world) == 0
    expected, whole = outcome(world.output), kept(world)
    path = world.folder / "knowledge_store.index" / name
    path.write_bytes(spoil(path.read_bytes()))
    assert rank(world) == 0
    assert (outcome(world.output), kept(world)) == (expected, whole)
    assert notes(world) == ["kept indexes or vectors damaged or made otherwise, made again: 1"]


def test_another_encoders_vectors_are_made_again(world: World) -> None:
    assert rank(world) == 0
    expected = outcome(world.output)
    assert rank(world, "--encoder", "others") == 0
    assert outcome(world.output) == expected  # it gives the same vectors under another name
    assert encoded(world) == 14
    assert notes(world) == ["kept indexes or vectors damaged or made otherwise, made again: 4"]


def test_a_sentence_transformers_folder_encodes_and_keeps(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert rank(world) == 0
    monkeypatch.undo()
    monkeypatch.setattr(stage, "WORTH_A_WORKER", 1)
    folder = str(make_sentence_encoder(tmp_path, make_bert(tmp_path / "bert")))
    assert rank(world, "--encoder", folder) == 0
    expected = outcome(world.output)
    assert notes(world) == ["kept indexes or vectors damaged or made otherwise, made again: 4"]
    assert rank(world, "--encoder", folder) == 0
    assert (outcome(world.output), encoded(world), notes(world)) == (expected, 0, [])
    weights = Path(folder) / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-4] + b"\0\0\0?")
    assert bm25_sentences.main([*flags(world), "--quiet", "--encoder", folder]) == 0  # no --overwrite
    assert encoded(world) > 0


def test_without_a_writable_index_the_results_are_equal_and_a_note_says_so(world: World) -> None:
    assert rank(world, "--no_index") == 0
    expected = outcome(world.output)
    (world.folder / "knowledge_store.index").write_bytes(b"a file")
    assert rank(world) == 0
    assert outcome(world.output) == expected
    assert notes(world) == [f"indexes not kept, since {world.folder / 'knowledge_store.index'} cannot be written: 4"]


def test_a_dry_run_keeps_nothing(world: World) -> None:
    assert rank(world, "--dry_run") == 0
    assert kept(world) == {}


def test_killed_and_started_again(tmp_path: Path, project_root: Path) -> None:
    world = write_world(tmp_path, [f"Claim {number}: a ferry sank." for number in range(12)])
    assert rank(world) == 0
    expected, whole = outcome(world.output), {name: hash for name, hash in kept(world).items() if "vectors" in name}
    for path in [*world.output.parent.iterdir(), *(world.folder / "knowledge_store.index").iterdir()]:
        path.unlink()
    progress = world.output.with_name("result.json.progress")
    assert kill_after(start(MODULE, flags(world), project_root, WORD_SECONDS="0.03"), progress, 5)
    assert 0 < len(kept(world)) < 12
    code, out, err = finish(start(MODULE, flags(world), project_root))
    assert (code, err) == (0, "")
    assert "bm25_sentences: going on after " in out
    assert (outcome(world.output), kept(world)) == (expected, whole)
