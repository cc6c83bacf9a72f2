"""Atomic writing of files."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from src.atomic_file import atomic, bears, check_writable, write_in_order, write_new, write_whole
from src.errors import OutputError
from tests.full_disk import no_room_after


def test_writing_makes_folders_and_leaves_nothing_aside(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "x.json"
    write_whole(path, b"one")
    write_whole(path, b"two")
    assert path.read_bytes() == b"two"
    assert list(path.parent.iterdir()) == [path]


def test_a_file_that_is_there_is_not_written_anew(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "x.json"
    assert write_new(path, b"one")
    assert not write_new(path, b"two")
    assert path.read_bytes() == b"one"
    assert list(path.parent.iterdir()) == [path]


def test_of_new_files_written_at_once_one_stays(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    texts = [str(number).encode() for number in range(20)]
    with ThreadPoolExecutor(8) as pool:
        written = list(pool.map(lambda text: write_new(path, text), texts))
    assert [text for text, is_there in zip(texts, written, strict=True) if is_there] == [path.read_bytes()]
    assert list(tmp_path.iterdir()) == [path]


def test_a_new_file_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="cannot write "):
        write_new(tmp_path / "file" / "x.json", b"one")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError, match="No space left on device"):
        write_new(tmp_path / "x.json", b"one")
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt(), OSError(28, "No space left on device")])
def test_an_exception_inside_leaves_the_old_file(tmp_path: Path, error: BaseException) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(b"old")
    expected = OutputError if isinstance(error, OSError) else type(error)

    def write() -> None:
        with atomic(path) as file:
            file.write(b"half of the new")
            raise error

    with pytest.raises(expected):
        write()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("function", ["fsync", "replace"])
def test_a_failing_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, function: str) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(b"old")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path if function == "replace" else os, function, fail)
    with pytest.raises(OutputError, match=rf"cannot write {path}: No space left on device"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.fixture
def appended(tmp_path: Path) -> Iterator[tuple[Path, int]]:
    """Write a file with one line; yield its path and a descriptor for appending."""
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"old\n")
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND)
    yield path, descriptor
    os.close(descriptor)


def test_a_file_that_was_replaced_or_removed_bears_its_name_no_longer(appended: tuple[Path, int]) -> None:
    path, descriptor = appended
    assert bears(path, descriptor)
    write_whole(path, b"other")
    assert not bears(path, descriptor)
    path.unlink()
    assert not bears(path, descriptor)


def test_those_who_write_one_file_at_once_take_turns(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    contents = [bytes([letter]) * 300_000 for letter in b"abcd"]

    def write_and_read(content: bytes) -> set[bytes]:
        read = set()
        for _ in range(10):
            with atomic(path) as file:
                for first in range(0, len(content), 50_000):
                    file.write(content[first : first + 50_000])
                    file.flush()
            read.add(path.read_bytes())
        return read

    with ThreadPoolExecutor(len(contents)) as pool:
        assert set().union(*pool.map(write_and_read, contents)) <= set(contents)
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_where_the_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "taken").write_bytes(b"")
    with pytest.raises(OutputError, match="cannot write"):
        write_whole(tmp_path / "taken" / "x.json", b"")
    with pytest.raises(OutputError, match="cannot write"):
        write_whole(tmp_path, b"")


def test_to_ask_whether_a_file_can_be_written_leaves_nothing(tmp_path: Path) -> None:
    check_writable(tmp_path / "new" / "x.json")
    (tmp_path / "x.json").write_bytes(b"old")
    check_writable(tmp_path / "x.json")
    assert [path.name for path in tmp_path.iterdir()] == ["x.json"]
    assert (tmp_path / "x.json").read_bytes() == b"old"
    with pytest.raises(OutputError, match="cannot write"):
        check_writable(tmp_path / "x.json" / "y.json")


def test_files_get_their_names_in_order_and_old_ones_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [tmp_path / name for name in ("x.json", "x.manifest.json")]
    gone = tmp_path / "x.failures.jsonl"
    gone.touch()
    named: list[str] = []
    replace = Path.replace

    def watched(aside: Path, path: Path) -> Path:
        assert not gone.exists()
        named.append(path.name)
        return replace(aside, path)

    monkeypatch.setattr(Path, "replace", watched)
    write_in_order([(path, path.name.encode()) for path in paths], [gone])
    assert named == ["x.json", "x.manifest.json"]
    assert [path.read_bytes() for path in sorted(tmp_path.iterdir())] == [b"x.json", b"x.manifest.json"]


@pytest.mark.parametrize("number", range(2))
def test_a_full_disk_leaves_all_files_as_they_were(tmp_path: Path, number: int) -> None:
    paths = [tmp_path / name for name in ("a", "b", "c")]
    for path in paths:
        path.write_bytes(b"old")
    contents = [b"new", b"new", b""]
    contents[number] = b"long " * 9
    with no_room_after(6), pytest.raises(OutputError, match=f"cannot write {paths[number]}: File too large"):
        write_in_order(list(zip(paths[:2], contents, strict=False)), paths[2:])
    assert [path.read_bytes() for path in sorted(tmp_path.iterdir())] == [b"old"] * 3
