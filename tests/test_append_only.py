"""Append-only files: complete lines or none, and checksums that detect every damage of a byte."""

import os
from pathlib import Path
from random import Random

import pytest

from src.append_only import AppendOnlyFile, sealed, unsealed, without_half_line
from src.errors import BusyError, OutputError
from tests.damage import damaged
from tests.full_disk import no_room_after


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"old\n")
    return path


def test_lines_are_appended_at_the_end(path: Path) -> None:
    with AppendOnlyFile(path) as file:
        assert [file.append(data) for data in (b"new\n", b"", b"newer\n")] == [4, 8, 8]
        assert list(file.lines()) == [(0, b"old\n"), (4, b"new\n"), (8, b"newer\n")]
        assert list(file.lines_at([8, 0])) == [b"newer\n", b"old\n"]
        file.append(b"half", sync=False)
        assert (file.is_torn(), len(list(file.lines()))) == (True, 3)
        file.cut(8)
        assert (file.is_torn(), file.read()) == (False, b"old\nnew\n")


def test_what_is_written_in_parts_is_appended_whole(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    with AppendOnlyFile(path) as file, monkeypatch.context() as patched:
        patched.setattr(os, "write", lambda to, data: write(to, data[:3]))
        file.append(b"some news\n")
    assert path.read_bytes() == b"old\nsome news\n"


def test_a_full_disk_leaves_what_was_there(path: Path) -> None:
    with AppendOnlyFile(path) as file:
        with no_room_after(6), pytest.raises(OutputError, match=f"cannot write {path}: File too large"):
            file.append(b"new\n")
        assert path.read_bytes() == b"old\n"
        file.append(b"new\n")
    assert path.read_bytes() == b"old\nnew\n"


def test_what_cannot_be_synced_is_not_appended(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: int) -> None:
        raise OSError(5, "Input/output error")

    with AppendOnlyFile(path) as file, monkeypatch.context() as patched:
        patched.setattr(os, "fsync", fail)
        with pytest.raises(OutputError, match="Input/output error"):
            file.append(b"new\n")
    assert path.read_bytes() == b"old\n"


def test_one_at_a_time_holds_it_and_none_removes_that_of_another(path: Path) -> None:
    file = AppendOnlyFile(path)
    with pytest.raises(BusyError, match=r"another run is writing x\.jsonl in "):
        AppendOnlyFile(path)
    file.close()
    with AppendOnlyFile(path) as later:
        file.remove()
        assert later.has_its_name()
        later.remove()
        assert not later.has_its_name()
    assert not path.exists()


@pytest.mark.parametrize("body", [b"", b"{}", b'{"text": "12345678 a\\n"}', bytes(range(11, 256))])
def test_no_damage_of_one_byte_gives_another_line(body: bytes) -> None:
    line = sealed(body)
    assert unsealed(line) == body
    assert line.count(b"\n") == 1
    dice = Random(1)
    for _ in range(300):
        pieces = damaged(line, dice).split(b"\n")
        assert {unsealed(piece + b"\n") for piece in pieces} <= {None, body}


@pytest.mark.parametrize(
    ("data", "whole"),
    [
        (b'{"a": 1}\n{"a": ', b'{"a": 1}\n'),
        (b'{"a": 1}\n{"', b'{"a": 1}\n'),
        (b'{"a": 1}\n{"a": 2}', b'{"a": 1}\n{"a": 2}'),
        (b'{"a": 1}\nnotes', b'{"a": 1}\nnotes'),
        (b"", b""),
    ],
)
def test_half_a_line_at_the_end_is_left_out(data: bytes, whole: bytes) -> None:
    assert without_half_line(data, b'{"a": ') == whole
