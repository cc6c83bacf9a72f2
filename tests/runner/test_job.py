"""A step over its claims: what it writes and skips, and which errors fail one claim or the run."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest

from src.append_only import AppendOnlyFile, sealed
from src.errors import ClaimError, InputError, OutputError
from src.records import Claim
from src.runner.engine import Engine
from src.runner.job import Job
from src.runner.journal import progress_path
from src.runner.manifest import manifest_path, read_manifest
from src.runner.outcome import Outcome
from src.runner.output import Failure, failures_path
from src.store import encode_list, read_records
from tests.runner import letters_step
from tests.runner.letters_step import Capitals, main
from tests.runner.small_world import World, failed, lines_of, outcome, write_world
from tests.runner.worker import Worker, go, go_with

TEXTS = tuple(f"claim number {number}" for number in range(7))


@pytest.fixture
def world(tmp_path: Path) -> World:
    return write_world(tmp_path / "with a space", TEXTS)


def test_lines_and_lists(world: World) -> None:
    assert go(world, "-e", "2") == 0
    assert world.output.read_bytes() == (
        b'{"claim_id": 0, "text": "CLAIM NUMBER 0"}\n{"claim_id": 1, "text": "CLAIM NUMBER 1"}\n'
    )
    assert go(world, "-e", "2", "--as_list", "--overwrite") == 0
    assert world.output.read_bytes() == encode_list([Capitals(0, "CLAIM NUMBER 0"), Capitals(1, "CLAIM NUMBER 1")])
    assert world.leftovers() == ["result.json", "result.manifest.json"]


def test_a_second_start_does_nothing(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert go(world) == 0
    before = outcome(world.output), manifest_path(world.output).read_bytes()
    worker = Worker()
    assert go_with(worker, world) == 0
    assert worker.batches == []
    assert (outcome(world.output), manifest_path(world.output).read_bytes()) == before
    assert main(["-c", str(world.claims), "-o", str(world.output)]) == 0
    assert "already there, made by the same run (--overwrite makes it again)" in capsys.readouterr().out


def test_a_changed_input_makes_the_output_anew(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert go(world) == 0
    world.claims.write_bytes(encode_list([Claim(f"{text}!") for text in TEXTS]))
    worker = Worker()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(letters_step, "work", worker)
        assert main(["-c", str(world.claims), "-o", str(world.output)]) == 0
    assert "made anew, for its input changed: claim_file" in capsys.readouterr().out
    assert worker.batches == [[number] for number in range(7)]
    assert all(b"!" in line for line in lines_of(world.output))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("arguments", "is there, made otherwise (--colour black there, red here)"),
        ("range", "is there, made otherwise (claims 0 to 6 there, 0 to 2 here)"),
        ("output", "was changed after it was made"),
        ("manifest", "is there and has no manifest that says how it was made"),
    ],
)
def test_nothing_is_replaced_by_accident(
    world: World, change: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert go(world) == 0
    flags: list[str] = []
    match change:
        case "arguments":
            flags = ["--colour", "red"]
        case "range":
            flags = ["-e", "3"]
        case "output":
            world.output.write_bytes(world.output.read_bytes() + b" ")
        case _:
            manifest_path(world.output).unlink()
    before = outcome(world.output)
    worker = Worker()
    assert go_with(worker, world, *flags) == 2
    assert capsys.readouterr().err == f"error: {world.output}: {message}; --overwrite replaces it\n"
    assert worker.batches == []
    assert outcome(world.output) == before
    assert go_with(worker, world, *flags, "--overwrite") == 0
    assert len(worker.batches) == (3 if change == "range" else 7)


def test_later_code_leaves_what_is_there(
    world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert go(world) == 0
    monkeypatch.setattr("src.runner.existing_output.source_hash", lambda: "of later code")
    assert main(["-c", str(world.claims), "-o", str(world.output)]) == 0
    assert "already there, made by another version of the code (--overwrite makes it again)" in capsys.readouterr().out


def test_failed_claims_stand_in_the_output_and_are_tried_again(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    assert go(world) == 0
    good = outcome(world.output)
    planned = Worker(at_2=ClaimError("no\npages"), at_5=ZeroDivisionError("division \udcff"))
    assert go_with(planned, world, "--overwrite") == 1
    assert capsys.readouterr().err == (
        f"letters_step: 2 of 7 claims failed; {world.output} has them without a whole result; "
        "start again to try them again. The first, claim 2: no pages\n"
    )
    assert failed(world.output) == [2, 5]
    first, second = read_records(failures_path(world.output), Failure)
    assert (first.step, first.error, first.message) == (letters_step.MODULE, "ClaimError", "no\npages")
    assert (second.error, second.message) == ("ZeroDivisionError", "division \\udcff")
    assert "Traceback" in second.traceback
    assert lines_of(world.output)[2] == b'{"claim_id": 2, "text": ""}\n'
    manifest = read_manifest(world.output)
    assert manifest is not None
    assert manifest.failures == 2

    again = Worker(at_5=ClaimError("still"))
    assert go_with(again, world) == 1
    assert again.batches == [[2], [5]]
    assert failed(world.output) == [5]

    last = Worker()
    assert go_with(last, world) == 0
    assert last.batches == [[5]]
    assert outcome(world.output) == good


def test_failed_claims_are_tried_again_without_the_progress_file_too(world: World) -> None:
    assert go_with(Worker(at_2=ClaimError("bad")), world) == 1
    world.output.with_name("result.json.progress").unlink()
    assert go(world) == 0
    assert failed(world.output) == []


@pytest.mark.parametrize(
    ("size", "batches"),
    [("3", [[0, 1, 2], [3, 4, 5], [6]]), ("2", [[0, 1], [2, 3], [4, 5], [6]]), ("100", [[0, 1, 2, 3, 4, 5, 6]])],
)
def test_batches_are_cut_by_claim_number(world: World, size: str, batches: list[list[int]]) -> None:
    whole = Worker()
    assert go_with(whole, world, "--batch", size) == 0
    assert whole.batches == batches
    part = Worker()
    assert go_with(part, world, "--batch", size, "-s", "2", "--overwrite") == 0
    assert part.batches[0] == [number for number in batches[2 // int(size)] if number >= 2]
    assert part.batches[1:] == batches[2 // int(size) + 1 :]


def test_the_journal_is_opened_twice_to_write_the_output(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Path] = []
    lines_at = AppendOnlyFile.lines_at

    def counted(file: AppendOnlyFile, offsets: Iterable[int]) -> Iterator[bytes]:
        opened.append(file.path)
        return lines_at(file, offsets)

    monkeypatch.setattr(AppendOnlyFile, "lines_at", counted)
    assert go(world) == 0
    assert opened == [progress_path(world.output)] * 2


def test_one_claim_takes_no_other_of_its_batch_down(world: World) -> None:
    worker = Worker(at_4=ClaimError("bad"))
    assert go_with(worker, world, "--batch", "3") == 1
    assert worker.batches == [[0, 1, 2], [3, 4, 5], [3], [4], [5], [6]]
    assert failed(world.output) == [4]
    assert [line.count(b"CLAIM") for line in lines_of(world.output)] == [1, 1, 1, 1, 0, 1, 1]


def test_too_few_answers_are_a_failure(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(letters_step, "work", lambda claims: [])
    assert go(world) == 1
    assert failed(world.output) == list(range(7))


@pytest.mark.parametrize(
    ("error", "code"), [(OutputError("disk full"), 2), (InputError("model lost"), 2), (KeyboardInterrupt(), 130)]
)
def test_what_stops_a_run_keeps_its_progress(
    world: World, error: BaseException, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert go_with(Worker(at_4=error), world) == code
    assert capsys.readouterr().err.count("\n") == 1
    assert world.leftovers() == ["result.json.progress"]
    worker = Worker()
    assert go_with(worker, world) == 0
    assert worker.batches == [[4], [5], [6]]
    assert world.leftovers() == ["result.json", "result.manifest.json"]
    resumed = outcome(world.output)
    assert go(world, "--overwrite") == 0
    assert outcome(world.output) == resumed


def test_stopped_before_the_first_claim_nothing_is_left(world: World) -> None:
    assert go_with(Worker(at_0=OutputError("at once")), world) == 2
    assert not world.output.parent.exists()
    assert go(world, "--model", "brush") == 0


def test_unfinished_work_with_other_arguments_is_kept(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert go_with(Worker(at_4=KeyboardInterrupt()), world) == 130
    progress = (world.output.parent / "result.json.progress").read_bytes()
    capsys.readouterr()
    assert go(world, "--colour", "red") == 2
    error = capsys.readouterr().err
    assert "unfinished run with other arguments is kept here (--colour black there, red here)" in error
    assert "--overwrite begins anew" in error
    assert error.count("\n") == 1
    assert (world.output.parent / "result.json.progress").read_bytes() == progress
    worker = Worker()
    assert go_with(worker, world, "--colour", "red", "--overwrite") == 0
    assert worker.batches == [[number] for number in range(7)]


def test_what_is_behind_a_damaged_line_is_done_again(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert go(world) == 0
    expected = outcome(world.output)
    assert go_with(Worker(at_4=KeyboardInterrupt()), world, "--overwrite") == 130
    path = world.output.parent / "result.json.progress"
    lines = path.read_bytes().splitlines(keepends=True)
    for damage in (b"\x00" * 30 + b"\n", b'[{"claim_id": "\xff"}]\n', b"[" * 200_000 + b"\n", b"{}\n", b"\n"):
        path.write_bytes(b"".join([*lines[:2], damage, *lines[2:]]))
        capsys.readouterr()
        worker = Worker(at_4=KeyboardInterrupt())
        assert go_with(worker, world) == 130
        message = f"{path}, line 3: damaged; the work in it and in the lines after it is done again"
        assert capsys.readouterr().err.splitlines()[0] == message
        assert worker.batches[0] == [1]
        assert path.read_bytes().splitlines(keepends=True)[:2] == lines[:2]
    assert go(world) == 0
    assert outcome(world.output) == expected


@pytest.mark.parametrize(
    ("first", "message"),
    [
        (b"\x00" * 30 + b"\n", ", line 1: damaged progress file; "),
        (b'{"fingerprint": {}}\n', ": is a progress file of an earlier version; finish its run with that version. "),
        (sealed(b'{"other": 1}'), ", line 1: was written by another version; finish its run with that version. "),
    ],
)
def test_an_unknown_progress_file_is_refused(
    world: World, first: bytes, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert go_with(Worker(at_4=KeyboardInterrupt()), world) == 130
    path = world.output.parent / "result.json.progress"
    path.write_bytes(first + path.read_bytes().partition(b"\n")[2])
    before = path.read_bytes()
    capsys.readouterr()
    assert go(world) == 2
    how = "--overwrite begins anew, and so does a start after it was removed"
    assert capsys.readouterr().err == f"error: {path}{message}{how}\n"
    assert path.read_bytes() == before
    assert go(world, "--overwrite") == 0


def test_a_second_run_on_the_same_output_is_refused(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert go_with(Worker(at_4=KeyboardInterrupt()), world) == 130
    capsys.readouterr()

    class Impatient(Worker):
        def __call__(self, claims: Sequence[Claim]) -> list[Outcome[Capitals]]:
            assert go(world) == 2
            assert go(world, "--overwrite") == 2
            return super().__call__(claims)

    assert go_with(Impatient(), world, "-e", "7") == 0, "-e 7 and -e -1 name the same claims"
    errors = capsys.readouterr().err.splitlines()
    assert errors == [f"error: another run is writing result.json in {world.output.parent}"] * 6
    assert len(lines_of(world.output)) == 7


@pytest.mark.parametrize(
    ("claim_ids", "numbers"),
    [([0, 1, 2], [0, 1, 2]), ([10, 11, 12], [10, 11, 12]), ([3, 7, 8], [0, 1, 2]), ([4], [4])],
)
def test_claims_with_gaps_are_numbered_by_their_place(
    world: World, claim_ids: Sequence[int], numbers: Sequence[int]
) -> None:
    """A shard that a step reads has the numbers, and so the batches, of an undivided run."""
    claims = [Claim("Eels fly.", claim_id) for claim_id in claim_ids]
    settings = main.parse(["-c", str(world.claims), "-o", str(world.output)])
    job: Job[Claim, Capitals] = Job(
        step="s", settings=settings, claims=claims, inputs={}, start=lambda: Engine(lambda _: []),
        without_result=lambda claim: Capitals(claim.claim_id, ""), numbered=claims,
    )  # fmt: skip
    assert [job.number(claim) for claim in claims] == numbers
