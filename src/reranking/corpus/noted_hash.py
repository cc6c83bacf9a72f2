"""Cached SHA-256 of a file: size and times are stored with it, so an unchanged file is not read again.

If size, time of writing and time of change (of content, name or permissions) match the note, the file was not written
since. Copying another file over it changes the time of change, even if the copy keeps its date.

Limitations: misses a change to the same size within one clock tick (some milliseconds) of reading the file here.
"""

from pathlib import Path

import msgspec

from src.atomic_file import write_whole
from src.errors import InputError
from src.json_decoding import decode
from src.store import encode_line, sha256


class _Note(msgspec.Struct):
    """Cached hash of a file; times are in nanoseconds."""

    sha256: str
    size: int
    written: int
    changed: int


def noted_sha256(path: Path, note: Path) -> str:
    """Return the file's hash, from the note if it is still valid. Raises InputError, and OutputError for the note."""
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
