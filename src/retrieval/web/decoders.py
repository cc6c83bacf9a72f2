"""Streaming decoders of content encodings: gzip, deflate (with and without its zlib header), br.

Each decoder yields pieces of bounded size, however much the next bytes would decode to.

Limitations: bytes after the end of a compressed body are dropped, as in browsers. zstd and compress are not supported.
"""

import zlib
from collections.abc import Iterator
from typing import Protocol

import brotli  # type: ignore[import-untyped]

from src.retrieval.web.failures import FetchFailed, cut_short, too_large
from src.store import storable

PIECE = 256 * 1024  # largest piece of decoded bytes, about
MEMBERS = 1000  # of one gzip body
PLAIN = {"", "identity", "none", "binary", "utf-8"}  # names that servers give to a body without encoding


class Decoder(Protocol):
    """Decoder of one content encoding."""

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """Yield the decoded pieces of the next bytes. Raises FetchFailed for damaged data."""

    def finish(self) -> None:
        """Raise FetchFailed when the encoded body is not complete."""


def decoders_for(header: str, max_bytes: int) -> list[Decoder]:
    """Return the decoders for a Content-Encoding header, in order of use. Raises FetchFailed for an unknown encoding.

    No decoder yields more than `max_bytes`, since a bomb in an outer encoding would not show in the inner one's count.
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
    """A decoder that yields at most `max_bytes` in all."""

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
    """Yield all that the stream decodes from the data; bytes after its end are left in `unused_data`."""
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
