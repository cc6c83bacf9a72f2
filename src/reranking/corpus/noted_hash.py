"""The SHA-256 of a file, noted beside its size and times so that an unchanged file is not read again.

A file whose size, time of writing and time of change (of content, name or rights) are those of the note has not been
written since: copying another file over it changes the last, even where the copy keeps its date.

But: a file changed within the clock's tick (some milliseconds) of being read here, and to the same size, goes unseen.
"""

from pathlib import Path

import msgspec

from src.atomic_file import write_whole
from src.errors import InputError
from src.json_decoding import decode
from src.store import encode_line, sha256


class _Note(msgspec.Struct):
    """Times in nanoseconds."""

    sha256: str
    size: int
    written: int
    changed: int


def noted_sha256(path: Path, note: Path) -> str:
    """The file's hash, from the note where that still holds. Raises InputError, and OutputError for the note."""
    try:
        found = path.stat()
        state = (found.st_size, found.st_mtime_ns, found.st_ctime_ns)
        kept = _read(note)
        if kept and (kept.size, kept.written, kept.changed) == state:
            return kept.sha256
        value = sha256(path)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=path) from None
    write_whole(note, encode_line(_Note(value, *state)))
    return value


def _read(note: Path) -> _Note | None:
    try:
        return decode(note.read_bytes(), _Note)
    except (FileNotFoundError, msgspec.DecodeError):
        return None
