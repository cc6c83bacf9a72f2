"""Manifests: how an output was made; a manifest that cannot be read counts as missing."""

from pathlib import Path

import pytest

from src.runner.manifest import manifest_path, package_versions, read_manifest, same_model, source_hash, total
from src.runner.output import failures_path
from src.store import sha256
from tests.runner.letters_step import main
from tests.runner.small_world import CLAIMS, World, write_world


@pytest.fixture
def world(tmp_path: Path) -> World:
    return write_world(tmp_path)


def test_names_beside_the_output() -> None:
    assert manifest_path(Path("out/dev_top_k.0-5.json")) == Path("out/dev_top_k.0-5.manifest.json")
    assert failures_path(Path("out/dev_top_k.0-5.json")) == Path("out/dev_top_k.0-5.failures.jsonl")
    assert manifest_path(Path("result")) == Path("result.manifest.json")


def test_all_that_is_needed_to_make_it_again(world: World) -> None:
    assert main(["-c", str(world.claims), "-o", str(world.output), "--quiet", "-e", "3", "--colour", "red"]) == 0
    manifest = read_manifest(world.output)
    assert manifest is not None
    assert manifest.arguments["colour"] == "red"
    assert manifest.arguments["end"] == 3
    assert manifest.fingerprint.inputs["claim_file"].sha256 == sha256(world.claims)
    assert (manifest.fingerprint.first, manifest.fingerprint.last, manifest.fingerprint.claims) == (0, 2, 3)
    assert manifest.counts == {"letters": sum(len(text) for text in CLAIMS[:3])}
    assert manifest.output_sha256 == sha256(world.output)
    assert manifest.source_sha256 == source_hash()
    assert manifest.packages == package_versions()
    assert manifest.packages["nltk"] == "3.9.1"
    assert manifest.model == {"name": "pencil"}
    assert manifest.python.startswith("CPython 3.")
    assert set(manifest.seconds) == {"work", "wall"}


@pytest.mark.parametrize("data", [None, b"", b"{", b"[]", b'{"fingerprint": "\xff"}', b"[" * 200_000])
def test_a_damaged_manifest_is_none(tmp_path: Path, data: bytes | None) -> None:
    if data is not None:
        (tmp_path / "x.manifest.json").write_bytes(data)
    assert read_manifest(tmp_path / "x.json") is None


def test_totals() -> None:
    assert total([{"a": 1}, {"a": 2, "b": 5}, {}]) == {"a": 3, "b": 5}
    assert total([]) == {}


def test_the_same_model_on_another_machine() -> None:
    def agents(threads: str, slots: str = "4") -> object:
        return {"judge": {"name": "pencil", "details": {"threads": threads, "slots": slots}}, "refiner": None}

    assert same_model(agents("2"), agents("16"))
    assert not same_model(agents("2"), agents("2", slots="8"))
    assert not same_model([agents("2")], None)
