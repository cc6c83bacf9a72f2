"""--shard: merged shards give the bytes of one run; the plan is pinned; a step reads the shard of the step before."""

import os
import tracemalloc
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest

from src.errors import ClaimError, InputError
from src.records import Claim
from src.runner import merge, missing_shards
from src.runner.claim_range import DividedRange
from src.runner.division import Part
from src.runner.journal import progress_path
from src.runner.manifest import manifest_path, read_manifest
from src.runner.outcome import Outcome
from src.runner.shard_plan import ShardPlan, pin, plan_path, read_plan, shard_path
from src.runner.sharding import input_file
from src.store import encode_list, sha256
from tests.runner import letters_step
from tests.runner.letters_step import Capitals
from tests.runner.small_world import World, write_world

TEXTS = [f"claim {number} é" for number in range(25)]


@pytest.fixture
def world(tmp_path: Path) -> World:
    return write_world(tmp_path / "my [world]", TEXTS)


def letters(world: World, output: Path, *flags: str) -> int:
    return letters_step.main(["-c", str(world.claims), "-o", str(output), "--quiet", *flags])


def shards(world: World, count: int, *flags: str) -> list[int]:
    return [letters(world, world.output, "--shard", f"{number}/{count}", *flags) for number in range(count)]


def error_of(run: Callable[[], int], capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    assert run() == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    return error


def missing(world: World, capsys: pytest.CaptureFixture[str], *flags: str) -> tuple[int, str]:
    capsys.readouterr()
    code = missing_shards.main([str(world.output), *flags])
    return code, capsys.readouterr().out


@pytest.mark.parametrize("flags", [(), ("--as_list",), ("--batch", "10"), ("-s", "3", "-e", "24")])
@pytest.mark.parametrize("count", [1, 2, 7])
def test_merged_shards_are_the_undivided_run(
    world: World, count: int, flags: Sequence[str], capsys: pytest.CaptureFixture[str]
) -> None:
    whole = world.folder / "whole" / "result.json"
    assert letters(world, whole, *flags) == 0
    assert shards(world, count, *flags) == [0] * count
    range_flags = flags if "-s" in flags else ()
    assert merge.main([str(world.output), *range_flags]) == 0
    assert world.output.read_bytes() == whole.read_bytes()
    merged, one = read_manifest(world.output), read_manifest(whole)
    assert merged is not None
    assert one is not None
    assert merged.fingerprint == one.fingerprint
    capsys.readouterr()
    assert letters_step.main(["-c", str(world.claims), "-o", str(world.output), *flags]) == 0
    assert "already there, made by the same run" in capsys.readouterr().out


def test_no_batch_is_cut(world: World) -> None:
    assert shards(world, 2, "--batch", "10") == [0, 0]
    assert read_plan(world.output) == ShardPlan((0, 10, 25))
    manifest = read_manifest(shard_path(world.output, 10, 25))
    assert manifest is not None
    assert manifest.notes == []


def test_another_count_is_refused(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert letters(world, world.output, "--shard", "1/2") == 0
    before = world.leftovers()
    for flags in (("--shard", "1/3"), ("--shard", "1/3", "--overwrite"), ("--shard", "1/3", "--dry_run")):
        error = error_of(partial(letters, world, world.output, *flags), capsys)
        assert (
            "result.shards.json: there are 2 shards of the claims 0 to 24, here 3 shards of the claims 0 to 24" in error
        )
        assert "to divide anew, remove this file and result.*-*.json" in error
    assert "here 2 shards of the claims 0 to 9" in error_of(
        lambda: letters(world, world.output, "--shard", "1/2", "-e", "10"), capsys
    )
    assert world.leftovers() == before
    for path in (*world.output.parent.glob("result.*-*.json"), plan_path(world.output)):
        path.unlink()
    assert letters(world, world.output, "--shard", "1/3") == 0


def test_an_output_whose_merged_file_would_have_another_name_is_refused(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("result.jsonl", "result"):
        error = error_of(partial(letters, world, world.output.with_name(name), "--shard", "0/2"), capsys)
        assert error.endswith(f"{name}: --shard needs an output whose name ends in .json\n")
    assert not world.output.parent.exists()


def test_a_start_that_fails_pins_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def without_model(**_: object) -> None:
        raise InputError("no such model")

    with monkeypatch.context() as patch:
        patch.setattr(letters_step, "Engine", without_model)
        assert "no such model" in error_of(lambda: letters(world, world.output, "--shard", "0/2"), capsys)
    assert not world.output.parent.exists()
    assert "--ray ray://x" in error_of(
        lambda: letters(world, world.output, "--shard", "0/2", "--ray", "ray://x"), capsys
    )
    assert not world.output.parent.exists()
    assert letters(world, world.output, "--shard", "0/3") == 0
    plan_path(world.output).unlink()
    assert letters(world, world.output, "--shard", "0/3") == 0
    assert read_plan(world.output) == ShardPlan((0, 8, 17, 25))


def test_a_dry_run_pins_nothing(world: World) -> None:
    assert letters(world, world.output, "--shard", "1/2", "--dry_run") == 0
    assert not world.output.parent.exists() or world.leftovers() == []


@pytest.mark.parametrize("spoilt", [b"", b"{}", b"[]", b'{"bounds":[0]}', b'{"bounds":[0,4,4]}', b'{"bounds":[-1,4]}'])
def test_a_damaged_plan_is_named(world: World, spoilt: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    world.output.parent.mkdir()
    plan_path(world.output).write_bytes(spoilt)
    for run in (
        lambda: letters(world, world.output, "--shard", "0/2"),
        lambda: merge.main([str(world.output)]),
        lambda: missing_shards.main([str(world.output)]),
    ):
        assert "result.shards.json" in error_of(run, capsys)


def test_of_plans_pinned_at_once_one_holds(tmp_path: Path) -> None:
    output = tmp_path / "new" / "x.json"
    plans = [ShardPlan((0, number, 100)) for number in (10, 20, 30, 40) for _ in range(4)]

    def pinned(plan: ShardPlan) -> bool:
        try:
            pin(output, plan)
        except InputError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        agreed = list(pool.map(pinned, plans))
    winner = read_plan(output)
    assert agreed == [plan == winner for plan in plans]
    assert list(output.parent.iterdir()) == [plan_path(output)]


def divided_claims(world: World, *bounds: int) -> list[Path]:
    """Replace the file of claims by shards of it; return their paths."""
    plan = ShardPlan(bounds)
    pin(world.claims, plan)
    paths = plan.files(world.claims)
    for number, path in enumerate(paths):
        start, end = bounds[number : number + 2]
        path.write_bytes(encode_list([Claim(TEXTS[one], one) for one in range(start, end)]))
    world.claims.unlink()
    return paths


def test_a_step_reads_the_shard_of_the_step_before(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    whole = world.folder / "whole" / "result.json"
    assert letters(world, whole) == 0
    claims = world.claims.read_bytes()
    divided_claims(world, 0, 3, 19, 25)
    assert shards(world, 3) == [0, 0, 0]
    assert read_plan(world.output) == ShardPlan((0, 3, 19, 25))
    world.claims.write_bytes(claims)
    assert merge.main([str(world.output)]) == 0
    assert world.output.read_bytes() == whole.read_bytes()
    merged, one = read_manifest(world.output), read_manifest(whole)
    assert merged is not None
    assert one is not None
    assert merged.fingerprint.settings == one.fingerprint.settings


def test_the_inputs_of_a_merged_output_are_the_merged_ones(world: World) -> None:
    claims = [Claim(text, number) for number, text in enumerate(TEXTS)]
    divided_claims(world, 0, 12, 25)
    assert shards(world, 2) == [0, 0]
    for content, is_whole in ((claims, True), (claims[:-1], False), ([*claims[:-1], Claim("x", 24)], False)):
        world.claims.write_bytes(encode_list(content))
        assert merge.main([str(world.output)]) == 0
        manifest = read_manifest(world.output)
        assert manifest is not None
        assert ("claim_file" in manifest.fingerprint.inputs) is is_whole


def test_the_merge_holds_one_shard_of_output_and_input(world: World) -> None:
    claims = [Claim(50_000 * "x", number) for number in range(40)]
    bounds = tuple(range(0, 41, 2))
    pin(world.claims, ShardPlan(bounds))
    for start, end in pairwise(bounds):
        shard_path(world.claims, start, end).write_bytes(encode_list(claims[start:end]))
    world.claims.unlink()
    assert shards(world, 20) == [0] * 20
    world.claims.write_bytes(encode_list(claims))
    tracemalloc.start()
    try:
        assert merge.main([str(world.output)]) == 0
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < world.claims.stat().st_size / 2
    manifest = read_manifest(world.output)
    assert manifest is not None
    assert manifest.fingerprint.inputs["claim_file"].sha256 == sha256(world.claims)


def test_a_shard_of_the_step_before_that_is_missing(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    divided_claims(world, 0, 12, 25)[1].unlink()
    assert letters(world, world.output, "--shard", "0/2") == 0
    error = error_of(lambda: letters(world, world.output, "--shard", "1/2"), capsys)
    assert "claims.12-25.json: not found; it is written by: people --shard 1/2" in error
    error = error_of(lambda: letters(world, world.output, "--shard", "1/3"), capsys)
    assert "claims.shards.json: there are 2 shards of the claims 0 to 24, not 3; merge them first" in error


def test_a_merged_input_is_divided_anew(world: World) -> None:
    claims = world.claims.read_bytes()
    divided_claims(world, 0, 12, 25)
    world.claims.write_bytes(claims)
    assert letters(world, world.output, "--shard", "2/3") == 0
    assert read_plan(world.output) == ShardPlan((0, 8, 17, 25))


def test_a_shard_as_input_must_be_that_of_the_part(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    first, _ = divided_claims(world, 0, 12, 25)
    flags = ("-c", str(first), "--shard")
    assert letters(world, world.output, *flags, "0/2") == 0
    assert "claims.0-12.json: is shard 0/2, not 1/2" in error_of(
        lambda: letters(world, world.output, *flags, "1/2"), capsys
    )
    other = error_of(lambda: letters(world, world.output, *flags, "0/2", "-e", "20"), capsys)
    assert "there are 2 shards of the claims 0 to 24, not of 0 to 19" in other


def test_a_shard_is_read_unless_the_merged_file_is_newer_and_made_otherwise(world: World) -> None:
    part, first = DividedRange(shard=Part(0, 2)), shard_path(world.output, 0, 10)

    def chosen(*, is_old: bool) -> Path:
        if is_old:
            os.utime(first, ns=(0, 0))
        return input_file(world.output, "letters", part)

    assert shards(world, 2) == [0, 0]
    assert merge.main([str(world.output)]) == 0
    assert chosen(is_old=True) == first
    world.claims.write_bytes(encode_list([Claim(f"{text}!") for text in TEXTS]))
    assert letters(world, world.output) == 0
    assert chosen(is_old=True) == world.output
    assert letters(world, world.output, "--shard", "0/2", "--colour", "red", "--overwrite") == 0
    assert chosen(is_old=False) == first
    assert chosen(is_old=True) == world.output
    manifest_path(world.output).unlink()
    assert chosen(is_old=True) == world.output


def test_the_retry_plan(world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert "result.shards.json: not found" in error_of(lambda: missing_shards.main([str(world.output)]), capsys)
    assert missing(world, capsys, "--count", "5") == (1, "0-4\n")
    assert letters(world, world.output, "--shard", "3/5") == 0
    assert missing(world, capsys) == missing(world, capsys, "--count", "5") == (1, "0-2,4\n")
    assert "there are 5 shards of the claims 0 to 24, not 4" in error_of(
        lambda: missing_shards.main([str(world.output), "--count", "4"]), capsys
    )
    merging = error_of(lambda: merge.main([str(world.output)]), capsys)
    assert (
        "of 5 shards of the claims 0 to 24, these are missing: 0-2, 4; --shard 0/5 computes result.0-5.json" in merging
    )

    work = letters_step.work

    def bad_at_7(claims: Sequence[Claim]) -> list[Outcome[Capitals]]:
        if any(claim.claim_id == 7 for claim in claims):
            raise ClaimError("bad")
        return work(claims)

    monkeypatch.setattr(letters_step, "work", bad_at_7)
    assert shards(world, 5) == [0, 1, 0, 0, 0]
    assert missing(world, capsys) == (1, "1\n")
    assert missing(world, capsys, "--allow_failures") == (0, "\n")
    monkeypatch.setattr(letters_step, "work", work)
    assert shards(world, 5) == [0] * 5
    assert missing(world, capsys) == (0, "\n")


def test_a_shard_that_was_changed_or_lost_is_missing(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert shards(world, 4) == [0] * 4
    plan = read_plan(world.output)
    assert plan is not None
    first, second, third, _ = plan.files(world.output)
    first.unlink()
    manifest_path(second).unlink()
    third.write_bytes(third.read_bytes().replace(b"CLAIM", b"CLAYM", 1))
    assert missing(world, capsys) == (1, "0-2\n")


def test_the_retry_plan_of_several_outputs_is_their_union(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    other = world.output.with_name("other.json")
    for output, numbers in ((world.output, (0, 2)), (other, (0, 1))):
        for number in numbers:
            assert letters(world, output, "--shard", f"{number}/4") == 0
    assert missing(world, capsys, str(other)) == (1, "1-3\n")


def test_a_shard_that_is_being_made_anew_is_missing(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert shards(world, 2) == [0, 0]
    assert missing(world, capsys) == (0, "\n")
    progress_path(shard_path(world.output, 10, 25)).write_bytes(b"of a run that was killed\n")
    assert missing(world, capsys) == (1, "1\n")
