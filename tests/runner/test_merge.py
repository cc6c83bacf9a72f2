"""Merged shards give the bytes of one run; shards of different runs are refused."""

import json
import shutil
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from src.errors import ClaimError
from src.records import Claim
from src.runner.console import how_many
from src.runner.manifest import AnswersFile, manifest_path, read_manifest
from src.runner.merge import main
from src.runner.outcome import Outcome
from src.runner.shards import find_shards
from src.store import encode_list, sha256
from tests.runner import letters_step
from tests.runner.letters_step import Capitals
from tests.runner.small_world import World, failed, outcome, write_world

TEXTS = [f"claim {number} é" for number in range(9)]


@pytest.fixture
def world(tmp_path: Path) -> World:
    return write_world(tmp_path / "my [world]", TEXTS)


def letters(world: World, output: Path, *flags: str) -> int:
    return letters_step.main(["-c", str(world.claims), "-o", str(output), "--quiet", *flags])


def shard(world: World, start: int, end: int, *flags: str) -> Path:
    path = world.output.with_name(f"result.{start}-{end}.json")
    assert letters(world, path, "-s", str(start), "-e", str(end), *flags) in (0, 1)
    return path


def refused(world: World, capsys: pytest.CaptureFixture[str], *flags: str) -> str:
    capsys.readouterr()
    assert main([str(world.output), *flags]) == 2
    assert not world.output.exists()
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    return error


@pytest.mark.parametrize("flags", [(), ("--as_list",), ("--batch", "4")])
@pytest.mark.parametrize("cuts", [(0, 9), (0, 4, 9), (0, 1, 2, 9), tuple(range(10))])
def test_equal_to_one_run(
    world: World, flags: Sequence[str], cuts: Sequence[int], capsys: pytest.CaptureFixture[str]
) -> None:
    whole = world.folder / "whole" / "result.json"
    assert letters(world, whole, *flags) == 0
    for start, end in pairwise(cuts):
        shard(world, start, end, *flags)
    assert main([str(world.output.with_suffix("")), "-e", "9"]) == 0
    assert world.output.read_bytes() == whole.read_bytes()
    assert capsys.readouterr().out == f"merge: {how_many(len(cuts) - 1, 'shard')}, 9 claims -> {world.output}\n"
    merged, one = read_manifest(world.output), read_manifest(whole)
    assert merged is not None
    assert one is not None
    assert merged.counts == one.counts
    assert merged.fingerprint == one.fingerprint
    assert merged.output_sha256 == sha256(world.output)


def test_a_merged_output_counts_as_made(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    for start, end in ((0, 5), (5, 9)):
        shard(world, start, end)
    assert main([str(world.output)]) == 0
    capsys.readouterr()
    assert letters_step.main(["-c", str(world.claims), "-o", str(world.output)]) == 0
    assert "already there" in capsys.readouterr().out


def test_failures_are_joined(world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    work = letters_step.work

    def bad_at_3_and_7(claims: Sequence[Claim]) -> list[Outcome[Capitals]]:
        if {claim.claim_id for claim in claims} & {3, 7}:
            raise ClaimError("bad")
        return work(claims)

    monkeypatch.setattr(letters_step, "work", bad_at_3_and_7)
    whole = world.folder / "whole" / "result.json"
    assert letters(world, whole) == 1
    for start, end in ((0, 3), (3, 6), (6, 9)):
        shard(world, start, end)
    assert main([str(world.output)]) == 1
    assert "merge: 3 shards, 9 claims, 2 of them failed -> " in capsys.readouterr().out
    assert world.output.read_bytes() == whole.read_bytes()
    assert failed(world.output) == failed(whole) == [3, 7]
    manifest = read_manifest(world.output)
    assert manifest is not None
    assert manifest.failures == 2

    monkeypatch.setattr(letters_step, "work", work)
    for start, end in ((0, 3), (3, 6), (6, 9)):
        shard(world, start, end)
    assert main([str(world.output)]) == 0
    assert failed(world.output) == []


def test_gaps(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    shard(world, 2, 4)
    assert "the first claim expected is 0, this shard starts at 2" in refused(world, capsys)
    assert "the first claim expected is 3, this shard starts at 2" in refused(world, capsys, "-s", "3")
    shard(world, 6, 8)
    assert "claims 4 to 5 are missing: result.2-4.json, result.6-8.json" in refused(world, capsys, "-s", "2")
    shard(world, 4, 6)
    assert "the last claim expected is 8, this shard ends at 7" in refused(world, capsys, "-s", "2", "-e", "9")
    assert main([str(world.output), "-s", "2", "-e", "8"]) == 0


@pytest.mark.parametrize("other", [(0, 2), (3, 6), (4, 6), (0, 9)])
def test_overlaps(world: World, other: tuple[int, int], capsys: pytest.CaptureFixture[str]) -> None:
    shard(world, 0, 5)
    shard(world, 5, 9)
    shard(world, *other)
    assert " are in both: " in refused(world, capsys)


def test_a_claim_twice_or_outside(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    path = shard(world, 0, 4)
    shard(world, 4, 9)
    lines = path.read_bytes().splitlines(keepends=True)
    for spoilt in ([*lines, lines[2]], [*lines[:3], lines[2]], [*lines[:3], lines[3].replace(b": 3", b": 4")]):
        path.write_bytes(b"".join(spoilt))
        error = refused(world, capsys)
        assert "result.0-4.json, line " in error
        assert "is repeated or outside 0-4" in error


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda data: data[:-3], "line 4: "),
        (lambda data: data[: data.rfind(b"\n", 0, -1) + 1], "3 claims, its manifest says 4"),
        (lambda data: b"", "0 claims, its manifest says 4"),
        (lambda data: data.replace(b"CLAIM 1", b"CLAIM X"), "its manifest is of another file"),
        (lambda data: data.replace(b'"claim_id": 1', b'"claim_id": "1"'), "line 2, field claim_id: "),
    ],
)
def test_a_shard_that_is_not_whole(
    world: World, spoil: Callable[[bytes], bytes], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = shard(world, 0, 4)
    shard(world, 4, 9)
    path.write_bytes(spoil(path.read_bytes()))
    error = refused(world, capsys)
    assert "result.0-4.json" in error
    assert message in error


def test_a_manifest_that_is_missing(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    shard(world, 0, 4)
    manifest_path(shard(world, 4, 9)).unlink()
    assert "result.4-9.json: its manifest is missing or damaged: was the step finished?" in refused(world, capsys)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--colour", "red"), "made otherwise than result.0-4.json: --colour black there, red here"),
        (("--model", "brush"), "another model"),
        (("--as_list",), "one is a JSON list, the other JSON lines"),
    ],
)
def test_shards_made_otherwise(
    world: World, flags: Sequence[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    shard(world, 0, 4)
    shard(world, 4, 9, *flags)
    assert message in refused(world, capsys)


def test_shards_of_other_inputs(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    shard(world, 0, 4)
    world.claims.write_bytes(encode_list([Claim(f"{text}!") for text in TEXTS]))
    shard(world, 4, 9)
    assert "result.4-9.json: made otherwise than result.0-4.json: another claim_file" in refused(world, capsys)


def test_inputs_that_are_shards_themselves_may_differ(world: World) -> None:
    for start, end in ((0, 4), (4, 9)):
        claims = world.folder / f"claims.{start}-{end}.json"
        claims.write_bytes(encode_list([Claim(TEXTS[number], number) for number in range(start, end)]))
        shard(world, start, end, "-c", str(claims))
    assert main([str(world.output)]) == 0
    assert len(world.output.read_bytes().splitlines()) == 9


def test_an_input_may_be_a_shard_for_one_and_whole_for_another(world: World) -> None:
    claims = world.folder / "claims.0-4.json"
    claims.write_bytes(encode_list([Claim(TEXTS[number], number) for number in range(4)]))
    shard(world, 0, 4, "-c", str(claims))
    shard(world, 4, 9)
    assert main([str(world.output)]) == 0
    assert len(world.output.read_bytes().splitlines()) == 9


def test_shards_by_other_code_are_noted(world: World) -> None:
    shard(world, 0, 4)
    path = shard(world, 4, 9)
    manifest = read_manifest(path)
    assert manifest is not None
    other = msgspec.structs.replace(manifest, source_sha256="of later code", notes=["no beams"], deterministic=False)
    manifest_path(path).write_bytes(msgspec.json.encode(other))
    assert main([str(world.output)]) == 0
    merged = read_manifest(world.output)
    assert merged is not None
    assert merged.notes == ["no beams", "the shards were made by different versions of the code"]
    assert not merged.deterministic


def test_answers_of_one_path_and_two_contents_are_both_kept(world: World) -> None:
    answers = [AnswersFile("a.jsonl", sha256, {"m": 1}) for sha256 in ("0f", "1f")]
    for (start, end), given in zip(((0, 3), (3, 6), (6, 9)), (answers[:1], answers[:1], answers[1:]), strict=True):
        path = shard(world, start, end)
        manifest = read_manifest(path)
        assert manifest is not None
        manifest_path(path).write_bytes(msgspec.json.encode(msgspec.structs.replace(manifest, answers=given)))
    assert main([str(world.output)]) == 0
    merged = read_manifest(world.output)
    assert merged is not None
    assert merged.answers == answers


def test_no_shards(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert "no shards result.START-END.json in " in refused(world, capsys)


def test_only_files_of_this_very_name_are_shards(world: World) -> None:
    whole = shard(world, 0, 9)
    for name in ("result.old.0-9.json", "my_result.0-9.json", "result.0-9.json.progress", "result.0-9.failures.json",
                 "result.0-x.json", "result.-9.json", "result0-9.json"):  # fmt: skip
        shutil.copy(whole, whole.with_name(name))
    assert find_shards(world.output) == [whole]
    assert main([str(world.output)]) == 0
    assert outcome(world.output)["result.json"] == whole.read_bytes()


def test_a_name_that_promises_other_claims(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    shard(world, 0, 4)
    renamed = shard(world, 4, 8)
    for path in (renamed, manifest_path(renamed)):
        path.rename(path.with_name(path.name.replace("4-8", "4-9")))
    assert "made for other claims than its name says" in refused(world, capsys)


def test_a_manifest_that_is_nested_too_deep(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    shard(world, 0, 4)
    path = manifest_path(shard(world, 4, 9))
    deep = b"[" * 900 + b"]" * 900
    marked = json.loads(path.read_bytes()) | {"model": "deep"}
    path.write_bytes(json.dumps(marked).encode().replace(b'"deep"', deep))
    assert "result.4-9.json: its manifest is missing or damaged" in refused(world, capsys)
