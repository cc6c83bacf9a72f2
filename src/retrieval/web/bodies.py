"""Bodies of HTTP responses: decoded piece by piece, with size limits before and after decoding, stored if complete.

Supported content encodings are gzip, deflate (with and without zlib header) and br, at most two of them nested. Each
decoder yields pieces of limited size. The decompression of aiohttp is not used: it accepts an incomplete gzip or br
body, and fails if bytes follow the compressed body.

Limitations: zstd and compress are not supported. Bytes after the end of a compressed body are dropped, as in browsers.
An incomplete body is a failure, although browsers accept it. A killed process may leave the temporary file
`.NAME.part`; the next download to the same path replaces it.
"""

import contextlib
import errno
import hashlib
import zlib
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Protocol, Self

import aiohttp
import brotli  # type: ignore[import-untyped]

from src.errors import OutputError
from src.retrieval.web.failures import FetchFailed, cut_short, too_large
from src.store import storable

TOO_MANY = {errno.EMFILE, errno.ENFILE}  # too many open files, which is transient
IN_MEMORY = 512 * 1024  # a body up to this size is written in one go
PIECE = 256 * 1024  # largest piece of decoded bytes, about
MEMBERS = 1000  # members of one gzip body, at most
PLAIN = {"", "identity", "none", "binary", "utf-8"}  # names that servers give to a body without encoding


class Decoder(Protocol):
    """Streaming decoder of one content encoding."""

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """Decode the next bytes of the body, and yield the output in pieces. Raises FetchFailed for damaged data."""

    def finish(self) -> None:
        """Raise FetchFailed if the encoded body is incomplete. Called after the last bytes."""


def decoders_for(header: str, max_bytes: int) -> list[Decoder]:
    """Return the decoders for a Content-Encoding header, in order of use. Raises FetchFailed for an unknown encoding.

    Each decoder yields at most `max_bytes`, so that a decompression bomb in an outer encoding is detected, too.
    """
    names = [name.strip().lower() for name in reversed(header.split(","))]
    names = [name for name in names if name not in PLAIN]
    if len(names) > 2:
        raise FetchFailed(f"unknown content-encoding: {len(names)} on top of each other")
    return [Bounded(_decoder(name), max_bytes) for name in names]


def _decoder(name: str) -> Decoder:
    match name:
        case "gzip" | "x-gzip":
            return Gzip()
        case "deflate":
            return Deflate()
        case "br":
            return Brotli()
    raise FetchFailed(f"unknown content-encoding: {storable(name[:40])}")


class Bounded:
    """Decoder with a limit: the wrapped decoder may yield at most `max_bytes` in all; then FetchFailed is raised."""

    def __init__(self, decoder: Decoder, max_bytes: int) -> None:
        self._decoder = decoder
        self._max_bytes = max_bytes
        self._put_out = 0

    def pieces(self, data: bytes) -> Iterator[bytes]:
        for piece in self._decoder.pieces(data):
            self._put_out += len(piece)
            if self._put_out > self._max_bytes:
                raise too_large(self._max_bytes)
            yield piece

    def finish(self) -> None:
        self._decoder.finish()


class Gzip:
    """Decoder of gzip, with one or more members."""

    def __init__(self) -> None:
        self._stream: zlib._Decompress | None = None
        self._members = 0

    def pieces(self, data: bytes) -> Iterator[bytes]:
        while data:
            if self._stream is None or self._stream.eof:
                if self._stream is not None and data[0] != 0x1F:
                    return
                self._begin_member()
            assert self._stream is not None
            yield from _inflated(self._stream, data, "gzip")
            data = self._stream.unused_data

    def finish(self) -> None:
        if self._stream is not None and not self._stream.eof:
            raise cut_short()

    def _begin_member(self) -> None:
        self._members += 1
        if self._members > MEMBERS:
            raise FetchFailed(f"damaged gzip body: more than {MEMBERS:,} members")
        self._stream = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)


class Deflate:
    """Decoder of deflate: zlib as in the standard, or raw deflate as some servers send."""

    def __init__(self) -> None:
        self._stream: zlib._Decompress | None = None

    def pieces(self, data: bytes) -> Iterator[bytes]:
        if self._stream is None and data:
            has_header = data[0] & 0x8F == zlib.DEFLATED
            self._stream = zlib.decompressobj(wbits=zlib.MAX_WBITS if has_header else -zlib.MAX_WBITS)
        if self._stream is not None and not self._stream.eof:
            yield from _inflated(self._stream, data, "deflate")

    def finish(self) -> None:
        if self._stream is not None and not self._stream.eof:
            raise cut_short()


def _inflated(stream: "zlib._Decompress", data: bytes, name: str) -> Iterator[bytes]:
    """Yield the decompressed data in pieces; bytes after the end of the stream are left in `stream.unused_data`."""
    piece = b""
    while (data or len(piece) == PIECE) and not stream.eof:
        try:
            piece = stream.decompress(data, PIECE)
        except zlib.error:
            raise FetchFailed(f"damaged {name} body") from None
        data = stream.unconsumed_tail
        if piece:
            yield piece


class Brotli:
    def __init__(self) -> None:
        self._stream = brotli.Decompressor()
        self._begun = False

    def pieces(self, data: bytes) -> Iterator[bytes]:
        self._begun = self._begun or bool(data)
        piece = self._next(data)
        while piece or not self._stream.can_accept_more_data():
            yield piece
            piece = self._next(b"")

    def finish(self) -> None:
        if self._begun and not self._stream.is_finished():
            raise cut_short()

    def _next(self, data: bytes) -> bytes:
        if self._stream.is_finished():
            return b""
        try:
            piece: bytes = self._stream.process(data, output_buffer_limit=PIECE)
        except brotli.error:
            raise FetchFailed("damaged br body") from None
        return piece


async def body_of(response: aiohttp.ClientResponse, max_bytes: int) -> AsyncGenerator[bytes, None]:
    """Yield the decoded body of a response in pieces.

    Raises FetchFailed when the body is damaged, incomplete or larger than `max_bytes`, and the errors of aiohttp.
    """
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
    """Atomic writer of a body to the file `path`: `write` the pieces, then `keep`.

    The body is in memory while it is small, else in a temporary file. A context manager: at the end of the block, the
    temporary file is deleted unless `keep` was called.
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
        """Append a piece. Raises OutputError when it cannot be written, FetchFailed if too many files are open."""
        self.bytes += len(piece)
        self._hash.update(piece)
        self._held.append(piece)
        self._held_bytes += len(piece)
        if self._held_bytes > IN_MEMORY:
            self._spill()

    def keep(self) -> None:
        """Move the body to its file.

        Raises FetchFailed if the body is empty or too many files are open, and OutputError if the file cannot be
        written for another reason.
        """
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
