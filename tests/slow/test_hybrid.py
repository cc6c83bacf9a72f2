"""Hybrid retrieval: killed at random moments, on thousands of claims that share pages, and with its own model.

The seed is fixed, but when a kill hits the work differs from machine to machine.
"""

import random
import shutil
import time
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import pytest

from src.pipeline import rank
from src.reranking import bm25_sentences
from src.reranking.top_file import read_ranked
from src.runner.manifest import read_manifest
from tests.reranking.hybrid.word_step import MODULE, load_words
from tests.runner.killing import finish, start
from tests.runner.small_world import World, lines_of, outcome, write_world

KILLS = 60
SHARING = 2_000

pytestmark = pytest.mark.slow


def flags(world: World) -> list[str]:
    return ["-k", str(world.store), "-c", str(world.claims), "-o", str(world.output), "--retriever", "hybrid"]


def index_files(world: World) -> dict[str, str]:
    """Return the hashes of the index's files, without the temporary files that a killed run left."""
    paths = (path for path in world.folder.glob("knowledge_store.index/*") if not path.name.startswith("."))
    return {path.name: sha256(path.read_bytes()).hexdigest() for path in paths}


def drawn_texts(number: int, drawn: random.Random) -> list[str]:
    return [" ".join(f"word{drawn.randrange(300)}" for _ in range(12)) for _ in range(number)]


@pytest.mark.parametrize("workers", [("--workers", "1"), ("--workers", "2")])
def test_killed_at_random_moments(tmp_path: Path, project_root: Path, workers: Sequence[str]) -> None:
    drawn = random.Random(1)
    pages = [drawn_texts(1_200, drawn) for _ in range(8)]
    world = write_world(tmp_path, drawn_texts(8, drawn), pages)
    began = time.monotonic()
    assert finish(start(MODULE, [*flags(world), *workers], project_root, WORD_WORKERS="yes"))[0] == 0
    whole = time.monotonic() - began
    expected, files = outcome(world.output), index_files(world)
    assert len(files) == 16
    for _ in range(KILLS // 4):
        shutil.rmtree(world.output.parent)
        for name in drawn.sample(sorted(files), k=12):
            (world.folder / "knowledge_store.index" / name).unlink()
        for _ in range(4):
            process = start(MODULE, [*flags(world), *workers], project_root, WORD_WORKERS="yes")
            time.sleep(drawn.uniform(0, whole))
            process.kill()
            process.communicate()
        code, _, err = finish(start(MODULE, [*flags(world), *workers], project_root, WORD_WORKERS="yes"))
        assert (code, err) == (0, "")
        assert (outcome(world.output), index_files(world)) == (expected, files)


def test_thousands_of_claims_that_share_all_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rank, "load_encoder", load_words)
    drawn = random.Random(2)
    page = drawn_texts(100, drawn)
    world = write_world(tmp_path, drawn_texts(SHARING, drawn), [page] * SHARING)
    assert bm25_sentences.main([*flags(world), "--quiet", "--top_k", "10"]) == 0
    expected = lines_of(world.output)
    ranked = read_ranked(world.output)
    assert [claim.claim_id for claim in ranked] == list(range(SHARING))
    assert all(len(claim.sentences) == 10 for claim in ranked)
    assert len({tuple(one.sentence for one in claim.sentences) for claim in ranked}) > SHARING // 2
    assert bm25_sentences.main([*flags(world), "--quiet", "--top_k", "10", "--overwrite"]) == 0
    assert lines_of(world.output) == expected
    manifest = read_manifest(world.output)
    assert manifest is not None
    assert manifest.counts["texts_encoded"] == 0


@pytest.mark.usefixtures("minilm")
def test_the_bundled_encoder_in_two_processes(tmp_path: Path, sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(tmp_path)
    shutil.copytree(sample / "knowledge_store", world.store)
    command = [*flags(world), "-c", str(sample / "claims.json"), "--quiet", "--overwrite"]
    assert bm25_sentences.main([*command, "--no_index"]) == 0
    expected = outcome(world.output)
    monkeypatch.setattr(rank, "WORTH_A_WORKER", 1)
    for _ in ("fresh", "recalled"):
        assert bm25_sentences.main([*command, "--workers", "2"]) == 0
        assert outcome(world.output) == expected
