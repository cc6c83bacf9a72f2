"""Append-only files: whole lines are added, and can be read again after the writing process was killed.

An incomplete last line is ignored. In files that only this project reads, each line begins with its checksum: the
CRC-32 in eight hexadecimal digits, and a space. Damaged lines are detected by the checksum. Files that people read
(ratings, results of trainings) are plain JSON lines without checksums.

Limitations: a line that is missing as a whole is not detected.
"""

import os
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from src.atomic_file import bears
from src.errors import OutputError
from src.file_lock import lock
from src.json_decoding import decode


class AppendOnlyFile:
    """Append-only file with one writing process: `with AppendOnlyFile(path) as file: file.append(line)`.

    `wait`: wait until another process closes the file. Without it, the constructor raises BusyError while another
    process has the file open. Each method raises OutputError when the disk fails.
    """

    def __init__(self, path: Path, *, wait: bool = False) -> None:
        self.path = path
        self._descriptor = lock(path, wait=wait)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def size(self) -> int:
        """Return the number of bytes in the file."""
        return os.fstat(self._descriptor).st_size

    def is_torn(self) -> bool:
        """Return True if the last line is incomplete: it has no line end."""
        with self._errors_of_disk():
            return self.size > 0 and os.pread(self._descriptor, 1, self.size - 1) != b"\n"

    def read(self) -> bytes:
        """Return all bytes of the file."""
        with self._errors_of_disk():
            return self.path.read_bytes()

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield the start offset and the bytes of each line; an incomplete last line is left out."""
        offset = 0
        with self._errors_of_disk(), self.path.open("rb") as file:
            for line in file:
                if line.endswith(b"\n"):
                    yield offset, line
                offset += len(line)

    def lines_at(self, offsets: Iterable[int]) -> Iterator[bytes]:
        """Yield the lines that begin at the given offsets."""
        with self._errors_of_disk(), self.path.open("rb") as file:
            for offset in offsets:
                file.seek(offset)
                yield file.readline()

    def append(self, data: bytes, *, sync: bool = True) -> int:
        """Append all bytes of `data` or none, and return their start offset in the file.

        `sync`: return only after the bytes are on the disk.
        """
        offset = self.size
        with self._errors_of_disk():
            try:
                written = 0
                while written < len(data):
                    written += os.write(self._descriptor, data[written:])
                if sync:
                    os.fsync(self._descriptor)
            except OSError:
                os.ftruncate(self._descriptor, offset)
                raise
        return offset

    def cut(self, size: int) -> None:
        """Truncate the file to its first `size` bytes."""
        if size < self.size:
            with self._errors_of_disk():
                os.ftruncate(self._descriptor, size)

    def has_its_name(self) -> bool:
        """Return False if the file was removed or replaced after it was opened."""
        with self._errors_of_disk():
            return bears(self.path, self._descriptor)

    def remove(self) -> None:
        """Remove the file, unless it is already closed. It stays locked until it is closed."""
        if self._descriptor >= 0:
            with self._errors_of_disk():
                self.path.unlink(missing_ok=True)

    def close(self) -> None:
        """Close the file and release its lock. Closing it again does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    @contextmanager
    def _errors_of_disk(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise OutputError(f"cannot write {self.path}: {error.strerror or error}") from None


def sealed(line: bytes) -> bytes:
    """Return a line of the file: the checksum of `line`, then `line`, then a line end. `line` must have no line end."""
    return b"%08x %b\n" % (zlib.crc32(line), line)


def unsealed(line: bytes) -> bytes | None:
    """Return the content of a line that `sealed` made, or None if its checksum is wrong."""
    body = line[9:-1]
    return body if sealed(body) == line else None


def without_half_line(data: bytes, begin: bytes) -> bytes:
    """Return JSON lines without the incomplete last line that a killed process may have left.

    Complete lines begin with `begin`. A last line that begins differently is kept, so that the reader reports it.
    """
    end = data.rfind(b"\n") + 1
    return data[:end] if _is_half(data[end:], begin) else data


def _is_half(last: bytes, begin: bytes) -> bool:
    if not (last.startswith(begin) or begin.startswith(last)):
        return False
    try:
        decode(last, object)
    except msgspec.DecodeError:
        return True
    return False
