"""Paragraphs that are read from their file on request, by their offsets.

JSON lines are read in place. Gzipped files, which do not allow random access, and JSON lists are unpacked once into the
index folder.

The file's SHA-256 is cached with the file's size and times, and is used while size and times are unchanged. If another
file is copied over it, the time of change differs, even if the copy has the old date. Only a change that keeps the size
and comes within one clock tick (some milliseconds) of the reading is missed.

Limitations: a JSON list is in memory while it is unpacked; write a large corpus as JSON lines.
"""

import gzip
import os
import shutil
import weakref
import zlib
from array import array
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt

from src.array_cache import NotKept, keep, recall
from src.atomic_file import atomic, write_whole
from src.errors import InputError
from src.json_decoding import decode
from src.records import Paragraph
from src.shape_error import shape_error
from src.store import encode_line, encode_lines, read_records, sha256


class _CachedHash(msgspec.Struct):
    """Cached hash of a file, and the file's size and times (in nanoseconds) when the hash was computed."""

    sha256: str
    size: int
    written: int
    changed: int


def cached_sha256(path: Path, note: Path) -> str:
    """Return the file's SHA-256.

    The hash is stored in the file `note`, and computed again when size, modification or change time of the file differ.

    Raises InputError when the file cannot be read, and OutputError when `note` cannot be written.
    """
    try:
        stat = path.stat()
        state = (stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)
        cached = _read(note)
        if cached and (cached.size, cached.written, cached.changed) == state:
            return cached.sha256
        value = sha256(path)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=path) from None
    write_whole(note, encode_line(_CachedHash(value, *state)))
    return value


def _read(note: Path) -> _CachedHash | None:
    try:
        return decode(note.read_bytes(), _CachedHash)
    except (FileNotFoundError, msgspec.DecodeError):
        return None


_LAYOUT = {"layout": "paragraphs 1"}
_BOM = b"\xef\xbb\xbf"
_HEAD = 4096  # first bytes of a file, in which the opening bracket of a list is looked for

Bounds = npt.NDArray[np.int64]


class ParagraphFile:
    """Sequence of the paragraphs in a file: `ParagraphFile.open(...)[i]` reads the i-th paragraph."""

    def __init__(self, lines: Path, bounds: Bounds, source: Path) -> None:
        self._bounds = bounds
        self._source = source
        self._file = os.open(lines, os.O_RDONLY)
        weakref.finalize(self, os.close, self._file)

    @classmethod
    def open(cls, source: Path, folder: Path, labels: Mapping[str, str]) -> "ParagraphFile":
        """Return the paragraphs of a file of `{"title", "text"}`; their offsets are cached in `folder`.

        The `labels` identify the file's content, for the cache. Raises InputError with file, line and field for the
        first paragraph of the wrong shape, and when the file has no paragraph.
        """
        lines = _unpacked_path(folder) if _is_packed(source) else source
        try:
            bounds = recall(folder / "paragraphs", {**labels, **_LAYOUT})["bounds"]
            if not lines.exists() or lines.stat().st_size != bounds[-1]:
                raise NotKept("damaged")
        except (NotKept, KeyError, IndexError):
            if lines != source:
                _unpack(source, folder)
            bounds = _located(lines, source)
            keep(folder / "paragraphs", {"bounds": bounds}, {**labels, **_LAYOUT})
        return cls(lines, bounds, source)

    def __len__(self) -> int:
        return len(self._bounds) - 1

    def __getitem__(self, place: int) -> Paragraph:
        """Return the paragraph at an index, from 0.

        Raises IndexError, and InputError when the file was changed after it was opened.
        """
        if not 0 <= place < len(self):
            raise IndexError(place)
        begin, end = int(self._bounds[place]), int(self._bounds[place + 1])
        line = os.pread(self._file, end - begin, begin).split(b"\n", 1)[0]
        try:
            return decode(line, Paragraph)
        except msgspec.DecodeError:
            raise InputError("was changed while it was in use", path=self._source) from None

    def __iter__(self) -> Iterator[Paragraph]:
        return (self[place] for place in range(len(self)))


def _is_packed(source: Path) -> bool:
    """Return True if the file must be unpacked to JSON lines: it is gzipped or a JSON list."""
    return _is_zipped(source) or _is_list(source)


def _is_zipped(source: Path) -> bool:
    with source.open("rb") as file:
        return file.read(2) == b"\x1f\x8b"


def _is_list(source: Path) -> bool:
    with gzip.open(source) if _is_zipped(source) else source.open("rb") as file:
        return file.read(_HEAD).removeprefix(_BOM).lstrip()[:1] == b"["


def _unpacked_path(folder: Path) -> Path:
    return folder / "paragraphs.jsonl"


def _unpack(source: Path, folder: Path) -> None:
    """Write the paragraphs of the file as JSON lines into the folder. Raises InputError or OutputError."""
    with atomic(_unpacked_path(folder)) as out:
        try:
            if _is_list(source):
                out.write(encode_lines(read_records(source, Paragraph)))
            else:
                with gzip.open(source) as file:
                    shutil.copyfileobj(file, out, 1 << 20)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise InputError(f"cannot be read: {error}", path=source) from None


def _located(lines: Path, source: Path) -> Bounds:
    """Return the offset of each paragraph in `lines`, followed by the file's size.

    Raises InputError, with the line in `source`, when a paragraph cannot be read.
    """
    starts, begin = array("q"), 0
    with lines.open("rb") as file:
        for number, line in enumerate(file, start=1):
            text = line.removeprefix(_BOM) if number == 1 else line
            if text.strip():
                _check(text, source, number)
                starts.append(begin + len(line) - len(text))
            begin += len(line)
    if not starts:
        raise InputError("holds no paragraph", path=source)
    starts.append(begin)
    return np.array(starts, dtype=np.int64)


def _check(line: bytes, source: Path, number: int) -> None:
    try:
        decode(line, Paragraph)
    except msgspec.DecodeError as error:
        raise shape_error(error, source, number, Paragraph) from None
