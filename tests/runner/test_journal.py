"""The journal of a run: after a kill, complete batches are kept and the others are computed again."""

import errno
import os
from collections.abc import Callable
from pathlib import Path
from random import Random

import msgspec
import pytest

from src.errors import BusyError, InputError, OutputError
from src.runner.fingerprint import Fingerprint, InputFile
from src.runner.journal import Entry, Journal
from src.runner.output import Failure
from tests.damage import damaged
from tests.runner.letters_step import main
from tests.runner.small_world import World, outcome, write_world

PRINT = Fingerprint("src.step", {"top_k": 3, "name": "é"}, {"claims": InputFile("c.json", "0f")}, 0, 5, 6)
BATCHES = [
    [Entry(0, msgspec.Raw(b'{"text": "a\\nb"}'), {"n": 1}, 0.25), Entry(1, msgspec.Raw(b"[]"))],
    [Entry(2, msgspec.Raw('"\U0001f600"'.encode()), failure=Failure(2, "src.step", "E", "two\nlines", "t"))],
    [Entry(3, msgspec.Raw(b"null"), {"n": 2})],
]


def begun(journal: Journal[Entry]) -> Journal[Entry]:
    """Return the journal after `begin`, ready for `append`."""
    assert journal.begin({"name": "pencil"}, "code") == []
    return journal


def open_journal(
    output: Path,
    *,
    overwrite: bool = False,
    fingerprint: Fingerprint = PRINT,
    is_done: Callable[[Entry], bool] = lambda _: True,
) -> Journal[Entry]:
    return Journal(output, fingerprint, Entry, lambda entry: entry.claim_id, is_done, overwrite=overwrite)


def entries_of(journal: Journal[Entry]) -> dict[int, Entry]:
    """Return the finished entries by claim_id."""
    numbers = [number for number in range(10) if number in journal]
    assert len(journal) == len(numbers)
    return dict(zip(numbers, journal.entries(numbers), strict=True))


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """Return the output of a run that was killed after three batches."""
    output = tmp_path / "new" / "x.json"
    with open_journal(output) as journal:
        begun(journal)
        for batch in BATCHES:
            journal.append(batch)
    return output


def progress(output: Path) -> Path:
    return output.with_name(f"{output.name}.progress")


def test_what_was_appended_is_there_again(written: Path) -> None:
    with open_journal(written) as journal:
        assert list(entries_of(journal).values()) == [entry for batch in BATCHES for entry in batch]


def test_of_two_entries_the_later_counts(written: Path) -> None:
    with open_journal(written) as journal:
        begun(journal).append([Entry(2, msgspec.Raw(b'"done"'))])
    with open_journal(written) as journal:
        assert entries_of(journal)[2] == Entry(2, msgspec.Raw(b'"done"'))


def test_torn_at_every_length_whole_batches_stay(written: Path) -> None:
    whole = progress(written).read_bytes()
    lines = whole.splitlines(keepends=True)
    for length in range(len(whole) + 1):
        progress(written).write_bytes(whole[:length])
        batches = max(0, whole[:length].count(b"\n") - 1)
        with open_journal(written) as journal:
            assert list(entries_of(journal)) == [entry.claim_id for batch in BATCHES[:batches] for entry in batch]
            assert progress(written).read_bytes() == b"".join(lines[: batches + 1] if batches else [])


@pytest.mark.parametrize("tail", [b"\x00" * 50, b"[", b'[{"claim_id": 9', b"\xff"])
def test_rubbish_after_the_last_line_is_dropped(written: Path, tail: bytes) -> None:
    whole = progress(written).read_bytes()
    progress(written).write_bytes(whole + tail)
    with open_journal(written) as journal:
        assert len(journal) == 4
        begun(journal).append([Entry(4, msgspec.Raw(b"1"))])
    with open_journal(written) as journal:
        assert list(entries_of(journal)) == [0, 1, 2, 3, 4]


def finished(world: World) -> tuple[bytes, dict[str, bytes]]:
    """Return the content of a run's progress file at its end, and the files that the run wrote."""
    keep = b""

    def keep_journal(journal: Journal[Entry]) -> None:
        nonlocal keep
        keep = journal.path.read_bytes()
        journal.path.unlink()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Journal, "remove", keep_journal)
        assert letters(world) == 0
    return keep, outcome(world.output)


def test_a_run_resumed_from_any_torn_journal_ends_the_same(tmp_path: Path) -> None:
    world = write_world(tmp_path)
    keep, expected = finished(world)
    for length in range(0, len(keep), 23):
        for path in world.output.parent.iterdir():
            path.unlink()
        progress(world.output).write_bytes(keep[:length])
        assert letters(world) == 0
        assert outcome(world.output) == expected


def test_no_damage_reaches_the_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    world = write_world(tmp_path)
    keep, expected = finished(world)
    dice, refused = Random(7), 0
    for _ in range(200):
        for path in world.output.parent.iterdir():
            path.unlink()
        broken = damaged(keep, dice)
        progress(world.output).write_bytes(broken)
        code, printed = letters(world), capsys.readouterr().err
        if code == 2:
            refused += 1
            assert "--overwrite begins anew" in printed
            assert progress(world.output).read_bytes() == broken
            assert not world.output.exists()
        else:
            assert outcome(world.output) == expected
    assert 0 < refused < 150  # the first line is long


def letters(world: World) -> int:
    return main(["-c", str(world.claims), "-o", str(world.output), "--quiet"])


def test_other_arguments_are_refused_and_nothing_is_lost(written: Path) -> None:
    before = progress(written).read_bytes()
    other = msgspec.structs.replace(PRINT, settings={"top_k": 4, "name": "é"})
    with pytest.raises(
        InputError, match=r"kept here \(--top_k 3 there, 4 here\); finish it, or --overwrite begins anew"
    ):
        open_journal(written, fingerprint=other)
    assert progress(written).read_bytes() == before
    with open_journal(written, fingerprint=other, overwrite=True) as journal:
        assert entries_of(journal) == {}


def test_another_model_is_refused_and_other_code_is_noted(written: Path) -> None:
    before = progress(written).read_bytes()
    with open_journal(written) as journal:
        with pytest.raises(InputError, match="an unfinished run with another model is kept here"):
            journal.begin({"name": "brush"}, "code")
        assert journal.begin({"name": "pencil"}, "later code") == ["begun by another version of the code"]
        assert len(journal) == 4
    assert progress(written).read_bytes() == before


def test_the_same_model_on_another_machine_goes_on(written: Path) -> None:
    with open_journal(written) as journal:
        assert journal.begin({"name": "pencil", "threads": "8"}, "code") == []
        assert len(journal) == 4


def test_what_was_finished_from_an_input_that_changed_is_dropped(written: Path) -> None:
    other = msgspec.structs.replace(PRINT, inputs={"claims": InputFile("c.json", "1f")})
    with open_journal(written, fingerprint=other) as journal:
        assert entries_of(begun(journal)) == {}


def test_a_changed_input_folder_keeps_the_entries(tmp_path: Path) -> None:
    """A changed input folder, such as one with repaired pages, does not discard finished entries."""
    one, other = (
        msgspec.structs.replace(PRINT, inputs={"store": InputFile("kb", digest, is_folder=True)})
        for digest in ("aa", "bb")
    )
    with open_journal(tmp_path / "x.json", fingerprint=one) as journal:
        begun(journal).append(BATCHES[0])
    with open_journal(tmp_path / "x.json", fingerprint=other) as journal:
        assert len(journal) == 2


def test_the_same_input_elsewhere_goes_on(written: Path) -> None:
    moved = msgspec.structs.replace(PRINT, inputs={"claims": InputFile("elsewhere.json", "0f")})
    with open_journal(written, fingerprint=moved) as journal:
        assert len(begun(journal)) == 4


@pytest.mark.parametrize("left", [b"", b'{"step": "src.st', None])
def test_a_journal_in_which_nothing_was_finished_binds_nobody(written: Path, left: bytes | None) -> None:
    header = progress(written).read_bytes().partition(b"\n")[0] + b"\n"
    progress(written).write_bytes(header if left is None else left)
    other = msgspec.structs.replace(PRINT, step="src.other")
    with open_journal(written, fingerprint=other) as journal:
        assert entries_of(begun(journal)) == {}
    assert not progress(written).exists()


def test_folders_made_for_a_run_that_could_not_start_go_with_it(tmp_path: Path) -> None:
    output = tmp_path / "new" / "deep" / "x.json"
    with pytest.raises(InputError), open_journal(output):
        raise InputError("unknown model")
    assert list(tmp_path.iterdir()) == []
    with open_journal(output):
        (tmp_path / "new" / "other.json").touch()
    assert [one.name for one in (tmp_path / "new").iterdir()] == ["other.json"]
    with open_journal(tmp_path / "new" / "x.json"):
        pass
    assert (tmp_path / "new").is_dir()


def test_only_one_run_holds_it(written: Path) -> None:
    with open_journal(written) as journal:
        for overwrite in (False, True):
            with pytest.raises(BusyError, match=r"another run is writing x\.json in "):
                open_journal(written, overwrite=overwrite)
        journal.remove()
        with open_journal(written) as later:
            assert entries_of(later) == {}
            begun(later).append(BATCHES[0])
    with open_journal(written) as journal:
        assert list(entries_of(journal)) == [0, 1]


def test_a_journal_removed_under_a_waiting_run_is_not_shared(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run opens the file while another run holds and then removes it: the lock is on a removed file."""
    import fcntl

    lock = fcntl.flock

    def remove_first(descriptor: int, how: int) -> None:
        monkeypatch.setattr(fcntl, "flock", lock)
        progress(written).unlink()
        lock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", remove_first)
    with open_journal(written) as journal:
        begun(journal).append(BATCHES[0])
        assert progress(written).exists()


@pytest.mark.parametrize("half", [True, False])
def test_a_full_disk_leaves_the_file_as_it_was(written: Path, monkeypatch: pytest.MonkeyPatch, half: bool) -> None:
    before = progress(written).read_bytes()
    write = os.write

    def full(descriptor: int, data: bytes) -> int:
        if half and len(data) > 20:
            return write(descriptor, data[: len(data) // 2])
        raise OSError(errno.ENOSPC, "No space left on device")

    with open_journal(written) as journal:
        begun(journal)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "write", full)
            with pytest.raises(OutputError, match=r"progress: No space left on device; what was finished is kept"):
                journal.append([Entry(4, msgspec.Raw(b'"' + b"long" * 50 + b'"'))])
        assert progress(written).read_bytes() == before
        assert 4 not in journal
        journal.append([Entry(4, msgspec.Raw(b"4"))])
    with open_journal(written) as journal:
        assert entries_of(journal)[4].record == msgspec.Raw(b"4")


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    for output in (tmp_path / "file" / "x.json", Path("/proc/none/x.json")):
        with pytest.raises(OutputError, match="cannot write"):
            open_journal(output)


def test_work_that_is_to_be_done_again_does_not_count_but_binds(written: Path) -> None:
    with open_journal(written, is_done=lambda entry: entry.failure is None) as journal:
        assert list(entries_of(journal)) == [0, 1, 3]
        assert [entry.claim_id for entry in journal.entries([2])] == [2]
        begun(journal).append([BATCHES[1][0]])
        assert 2 in journal, "done in this run, failed or not"
    with open_journal(written, is_done=lambda _: False) as journal:
        assert not journal.is_empty
        assert len(journal) == 0
    assert progress(written).exists()


def test_a_run_that_was_begun_anew_remembers_it(tmp_path: Path) -> None:
    with open_journal(tmp_path / "x.json", overwrite=True) as journal:
        journal.append(BATCHES[0], sync=False)
    with open_journal(tmp_path / "x.json") as journal:
        assert journal.anew
        assert list(entries_of(journal)) == [0, 1]


def test_entries_of_any_order_are_read_one_by_one(written: Path) -> None:
    with open_journal(written) as journal:
        assert [entry.claim_id for entry in journal.entries([3, 0, 2, 1, 0])] == [3, 0, 2, 1, 0]
        path = progress(written)
        path.write_bytes(path.read_bytes()[:-9] + b"x" * 8 + b"\n")
        with pytest.raises(InputError, match="was damaged while it was in use"):
            list(journal.entries([3]))
