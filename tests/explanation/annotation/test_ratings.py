"""The file of ratings: reading, and the state after a killed process, a full disk or a manual edit."""

import os
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from src.annotating.answers_file import whole_lines
from src.atomic_file import write_whole
from src.errors import BusyError, InputError, OutputError
from src.explanation.annotation.ratings import Rating, RatingsFile, Text, read_ticked
from src.explanation.typology import ErrorType
from src.store import encode_line, encode_lines
from tests.full_disk import no_room_after

EE = ErrorType.EXTRINSIC_ENTITY
FIRST = Rating("ann", 4, "madr", "9f86", [[EE], []], 41.5)


@pytest.mark.parametrize("text", [Text("e3b0", 2), Text("9f86", 1)])
def test_ratings_of_a_text_that_changed_are_refused_with_their_line(text: Text) -> None:
    data = encode_lines([FIRST])
    with pytest.raises(InputError, match=r"r\.jsonl, line 1, field explanation: claim 4 of madr was another text"):
        read_ticked(data, Path("r.jsonl"), {FIRST.item: text})
    earlier = encode_line(Rating("eve", 4, "madr", text.hash, [[]] * text.sentences))
    with pytest.raises(InputError, match=r"r\.jsonl, line 2, field explanation"):
        read_ticked(earlier + data, Path("r.jsonl"), {})


def test_ratings_of_what_is_not_looked_at_are_kept() -> None:
    assert read_ticked(encode_line(FIRST), Path("r.jsonl"), {("cot", 4): Text("e3b0", 7)}) == [FIRST]


def test_only_half_a_line_of_ours_is_taken_for_one() -> None:
    assert whole_lines(b"") == b""
    assert whole_lines(b'{"annot') == b""
    assert whole_lines(b"[1") == b"[1"


AGAIN = Rating("ann", 4, "madr", "9f86", [[], []], 3.0)
OTHER = Rating("bob", 4, "madr", "9f86", [[EE], [EE]])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new" / "r.jsonl"


def test_ratings_are_saved_at_once_and_the_last_one_counts(path: Path) -> None:
    with RatingsFile(path, {}) as file:
        for one in (FIRST, OTHER, AGAIN):
            file.add([one])
        assert path.read_bytes() == encode_lines([FIRST, OTHER, AGAIN])
        assert list(file.answers.values()) == [AGAIN, OTHER]
    with RatingsFile(path, {FIRST.item: FIRST.text}) as file:
        assert list(file.answers.values()) == [AGAIN, OTHER]


def test_a_half_line_goes_and_a_line_without_its_newline_stays(path: Path) -> None:
    path.parent.mkdir()
    line = encode_line(FIRST)
    for end in range(1, len(line)):
        path.write_bytes(encode_line(OTHER) + line[:end])
        with RatingsFile(path, {}) as file:
            assert file.torn is (end < len(line) - 1)
            file.add([AGAIN])
        kept = [OTHER, AGAIN] if end < len(line) - 1 else [OTHER, FIRST, AGAIN]
        assert path.read_bytes() == encode_lines(kept)


COMPACT = msgspec.json.encode(FIRST)
TURNED = msgspec.json.encode(dict(reversed(msgspec.to_builtins(FIRST).items())))


@pytest.mark.parametrize("line", [COMPACT, TURNED, COMPACT + b"  ", COMPACT + b"\r"])
def test_a_last_line_without_its_newline_gets_one_however_it_is_written(path: Path, line: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(line)
    with RatingsFile(path, {}) as file:
        assert not file.torn
        file.add([OTHER])
    assert path.read_bytes() == line + b"\n" + encode_line(OTHER)
    with RatingsFile(path, {}) as file:
        assert list(file.answers.values()) == [FIRST, OTHER]


def test_a_whole_last_line_of_another_shape_is_no_half_line(path: Path) -> None:
    path.parent.mkdir()
    line = encode_line(FIRST).replace(b'"EE"', b'"XX"').rstrip()
    path.write_bytes(encode_line(OTHER) + line)
    with pytest.raises(InputError, match=r"line 2, field errors\[0\]\[0\]: 'XX' is none of"), RatingsFile(path, {}):
        pass
    assert path.read_bytes() == encode_line(OTHER) + line


@pytest.mark.parametrize("data", [b"[]", b" \n[" + COMPACT + b"]\n", b"["])
def test_a_list_is_not_added_to(path: Path, data: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(data)
    message = r"r\.jsonl: is a JSON list; answers are added to JSON lines"
    with pytest.raises(InputError, match=message), RatingsFile(path, {}):
        pass
    assert path.read_bytes() == data


@pytest.mark.parametrize("data", [b'[{"claim": "Eels fly."}]', b'{"claim_id": 0', b"\x00\xff", b"{}\n"])
def test_a_file_of_another_kind_is_left_as_it_is(path: Path, data: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(data)
    with pytest.raises(InputError), RatingsFile(path, {}):
        pass
    assert path.read_bytes() == data


def test_a_session_without_ratings_leaves_no_file(path: Path) -> None:
    with RatingsFile(path, {}):
        assert path.exists()
    assert not path.exists()


def test_one_process_holds_the_file(path: Path) -> None:
    with (
        RatingsFile(path, {}),
        pytest.raises(BusyError, match=r"another run is writing r.jsonl"),
        RatingsFile(path, {}),
    ):
        pass


def test_a_full_disk_leaves_neither_half_a_line_nor_a_rating(path: Path) -> None:
    with RatingsFile(path, {}) as file:
        file.add([FIRST])
        room = path.stat().st_size + 20
        with no_room_after(room), pytest.raises(OutputError, match=r"cannot write .*r.jsonl: File too large"):
            file.add([OTHER])
        assert path.read_bytes() == encode_line(FIRST)
        assert list(file.answers.values()) == [FIRST]
        file.add([OTHER])
    assert path.read_bytes() == encode_lines([FIRST, OTHER])


def removed(path: Path) -> None:
    path.unlink()


def moved(path: Path) -> None:
    path.rename(path.with_name("moved.jsonl"))


def edited(path: Path) -> None:
    write_whole(path, path.read_bytes())


def in_a_folder_that_is_gone(path: Path) -> None:
    path.unlink()
    path.parent.rmdir()
    path.parent.write_bytes(b"")


@pytest.mark.parametrize("happened", [removed, moved, edited, in_a_folder_that_is_gone])
@pytest.mark.parametrize("before", [[], [FIRST]])
def test_no_rating_goes_to_a_file_of_another_name(
    path: Path, happened: Callable[[Path], None], before: list[Rating]
) -> None:
    with RatingsFile(path, {}) as file:
        file.add(before)
        happened(path)
        standing = path.read_bytes() if path.is_file() else None
        with pytest.raises(OutputError, match=r"cannot write .*r\.jsonl: (it was removed or replaced|Not a directory)"):
            file.add([OTHER])
        assert list(file.answers.values()) == before
    assert (path.read_bytes() if path.is_file() else None) == standing
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(file._file._descriptor)


@pytest.mark.parametrize(
    ("of", "name", "data"),
    [(Path, "read_bytes", b""), (os, "ftruncate", encode_line(FIRST)[:30]), (os, "fsync", COMPACT)],
)
def test_a_disk_that_fails_at_the_start_is_reported_in_one_line(
    path: Path, monkeypatch: pytest.MonkeyPatch, of: object, name: str, data: bytes
) -> None:
    def fail(*_: object) -> None:
        raise OSError(5, "Input/output error")

    path.parent.mkdir()
    path.write_bytes(data)
    with monkeypatch.context() as patched:
        patched.setattr(of, name, fail)
        with pytest.raises(OutputError, match=r"cannot write .*r\.jsonl: Input/output error"), RatingsFile(path, {}):
            pass
    assert path.read_bytes() == data


def test_a_device_is_not_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    gone: list[Path] = []
    monkeypatch.setattr(Path, "unlink", gone.append)
    with RatingsFile(Path("/dev/null"), {}):
        pass
    assert gone == []
