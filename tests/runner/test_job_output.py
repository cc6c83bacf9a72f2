"""The output of a step: where it is written, where it cannot be written, and when nothing is written."""

import os
from pathlib import Path

import pytest

from src.errors import ClaimError
from tests.runner.letters_step import main
from tests.runner.small_world import World, lines_of, write_world
from tests.runner.worker import Worker, go, go_with

TEXTS = tuple(f"claim number {number}" for number in range(7))


@pytest.fixture
def world(tmp_path: Path) -> World:
    return write_world(tmp_path / "with a space", TEXTS)


def test_a_dry_run_writes_nothing(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert go(world, "--dry_run") == 0
    assert capsys.readouterr().out.startswith("letters_step: dry run, nothing written\n  claims   7\n")
    assert not world.output.parent.exists()
    assert go(world) == 0
    before = {path: path.stat().st_mtime_ns for path in world.output.parent.iterdir()}
    assert go_with(Worker(at_0=ClaimError("one bad claim")), world, "--dry_run", "--overwrite") == 0
    assert {path: path.stat().st_mtime_ns for path in world.output.parent.iterdir()} == before


@pytest.mark.parametrize("name", ["", ".", "/", "..", "taken", "/proc/none/x.json", "/dev/null/x.json", "file/x.json"])
def test_an_output_that_cannot_be(
    world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    monkeypatch.chdir(world.folder)
    Path("taken").mkdir()
    Path("file").write_bytes(b"kept")
    worker = Worker()
    assert go_with(worker, world, "-o", name) == 2
    assert worker.batches == []
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert error.count("\n") == 1
    assert Path("file").read_bytes() == b"kept"
    assert sorted(os.listdir()) == ["claims.json", "file", "knowledge_store", "taken"]


def test_an_output_that_is_an_input_is_refused(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    before = world.claims.read_bytes()
    assert go(world, "-o", str(world.folder / "out" / ".." / "claims.json")) == 2
    assert "would overwrite --claim_file" in capsys.readouterr().err
    assert go(world, "-o", str(world.folder / "claims.manifest.json")) == 2
    assert "would overwrite a file that belongs to --claim_file" in capsys.readouterr().err
    assert world.claims.read_bytes() == before


def test_names_that_are_no_unicode(tmp_path: Path) -> None:
    world = write_world(tmp_path / os.fsdecode(b"caf\xe9"), TEXTS)
    assert main(["-c", str(world.claims), "-o", str(world.output)]) == 0
    assert len(lines_of(world.output)) == 7


def test_an_output_without_a_suffix(world: World) -> None:
    assert go(world, "-o", str(world.folder / "out" / "result")) == 0
    assert world.leftovers() == ["result", "result.manifest.json"]


def test_the_last_lines(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-c", str(world.claims), "-o", str(world.output)]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("letters_step: 7 claims in ")
    assert line.endswith(f" s -> {world.output}")


@pytest.mark.parametrize("length", [246, 255, 256, 5000])
def test_a_name_that_is_too_long(world: World, capsys: pytest.CaptureFixture[str], length: int) -> None:
    worker = Worker()
    assert go_with(worker, world, "-o", str(world.folder / ("\u00e9" * (length // 2 - 5) + ".json"))) == 2
    assert worker.batches == []
    error = capsys.readouterr().err
    assert "bytes too long for the files beside it; choose a shorter one" in error
    assert error.count("\n") == 1
    assert sorted(path.name for path in world.folder.iterdir()) == ["claims.json", "knowledge_store"]


def test_a_name_that_is_just_short_enough(world: World) -> None:
    output = world.folder / f"{'x' * 235}.json"
    assert go_with(Worker(at_0=ClaimError("one bad claim")), world, "-o", str(output)) == 1
    assert output.with_name(f"{'x' * 235}.manifest.json").exists()
