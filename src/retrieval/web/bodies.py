"""The body of a response: decoded piece by piece, bounded before and after decoding, kept only when complete.

Limitations: a body that stops before its end is a failure, while browsers accept it. A killed run may leave the
temporary file `.NAME.part`; the next download to the same path replaces it.
"""

import contextlib
import errno
import hashlib
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

import aiohttp

from src.errors import OutputError
from src.retrieval.web.decoders import Decoder, decoders_for
from src.retrieval.web.failures import FetchFailed, too_large

TOO_MANY = {errno.EMFILE, errno.ENFILE}  # too many open files, which is transient
IN_MEMORY = 512 * 1024  # a body up to this size is written in one go


async def body_of(response: aiohttp.ClientResponse, max_bytes: int) -> AsyncGenerator[bytes, None]:
    """Yield the decoded body in pieces. Raises FetchFailed, and the errors of aiohttp."""
    if (response.content_length or 0) > max_bytes:
        raise too_large(max_bytes)
    decoders = decoders_for(",".join(response.headers.getall("Content-Encoding", [])), max_bytes)
    received = 0
    async for data in response.content.iter_any():
        received += len(data)
        if received > max_bytes:
            raise too_large(max_bytes)
        for piece in _through(decoders, data):
            yield piece
    for decoder in decoders:
        decoder.finish()


def _through(decoders: list[Decoder], data: bytes) -> Iterator[bytes]:
    if not decoders:
        yield data
        return
    for piece in decoders[0].pieces(data):
        yield from _through(decoders[1:], piece)


class BodyFile:
    """A body on its way to `path`: in memory while small, else in a temporary file; only `keep` puts it in place.

    A context manager: at its end a body that was not kept is deleted.
    """

    def __init__(self, path: Path) -> None:
        self.bytes = 0
        self._path = path
        self._aside = path.with_name(f".{path.name}.part")
        self._hash = hashlib.sha256()
        self._held: list[bytes] = []
        self._held_bytes = 0
        self._file: BinaryIO | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._file.close()
            self._aside.unlink(missing_ok=True)

    @property
    def sha256(self) -> str:
        return self._hash.hexdigest()

    def write(self, piece: bytes) -> None:
        """Append a piece. Raises OutputError when it cannot be written, FetchFailed while too many files are open."""
        self.bytes += len(piece)
        self._hash.update(piece)
        self._held.append(piece)
        self._held_bytes += len(piece)
        if self._held_bytes > IN_MEMORY:
            self._spill()

    def keep(self) -> None:
        """Move the file to its path. Raises as `write`, and FetchFailed when the body is empty."""
        if not self.bytes:
            raise FetchFailed("empty body")
        self._spill()
        assert self._file is not None
        try:
            self._file.close()
            self._aside.replace(self._path)
        except OSError as error:
            raise self._cannot_write(error) from None
        self._file = None

    def _spill(self) -> None:
        try:
            if self._file is None:
                self._file = self._aside.open("wb")
            self._file.write(b"".join(self._held))
        except OSError as error:
            raise self._cannot_write(error) from None
        self._held.clear()
        self._held_bytes = 0

    def _cannot_write(self, error: OSError) -> OutputError | FetchFailed:
        if error.errno in TOO_MANY:
            return FetchFailed("too many open files", transient=True)
        return OutputError(f"cannot write {self._path}: {error.strerror or error}")
