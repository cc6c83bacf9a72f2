"""What the paths of the fault server do: one answer a fault, each a coroutine that writes to the bare connection."""

import asyncio
import functools
import gzip
import socket
import struct
import zlib
from collections.abc import Awaitable, Callable

import brotli  # type: ignore[import-untyped]

Answer = Callable[[str, asyncio.StreamWriter], Awaitable[None]]

SENTENCE = b"<p>A page of some words that says nothing new, however often it is read. </p>"
HTML = b"<html><body>" + SENTENCE * 20 + b"</body></html>"
PAUSE = 0.05
FOR_EVER = 3600.0


def answer(body: bytes = HTML, *, status: str = "200 OK", length: int | None = None, **headers: str) -> bytes:
    """A whole answer; underscores in the names of headers are hyphens. A negative length leaves the header out."""
    length = len(body) if length is None else length
    fields = {"Content-Type": "text/html; charset=utf-8"} | {key.replace("_", "-"): headers[key] for key in headers}
    if length >= 0:
        fields["Content-Length"] = str(length)
    lines = [f"HTTP/1.1 {status}", *(f"{key}: {value}" for key, value in fields.items())]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def redirect(location: str, status: str = "302 Found") -> bytes:
    return answer(b"", status=status, Location=location)


def send(data: bytes, *, then_close: bool = False) -> Answer:
    async def sends(head: str, out: asyncio.StreamWriter) -> None:
        out.write(data)
        await out.drain()
        if then_close:
            out.close()

    return sends


def send_and_hang(data: bytes) -> Answer:
    async def sends(head: str, out: asyncio.StreamWriter) -> None:
        out.write(data)
        await asyncio.sleep(FOR_EVER)

    return sends


def send_and_reset(data: bytes) -> Answer:
    async def sends(head: str, out: asyncio.StreamWriter) -> None:
        out.write(data)
        await out.drain()
        linger = struct.pack("ii", 1, 0)
        out.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        out.transport.abort()

    return sends


def stream(begin: bytes, piece: bytes, *, times: int | None = None, pause: float = 0.0) -> Answer:
    """The beginning, then the same piece over and over, for ever or so many times."""

    async def sends(head: str, out: asyncio.StreamWriter) -> None:
        out.write(begin)
        sent = 0
        while times is None or sent < times:
            out.write(piece)
            await out.drain()
            await asyncio.sleep(pause)
            sent += 1

    return sends


def encoded(body: bytes, encoding: str) -> bytes:
    return answer(body, Content_Encoding=encoding)


def _raw_deflate(data: bytes) -> bytes:
    stream = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return stream.compress(data) + stream.flush()


@functools.cache
def bomb(encoding: str) -> bytes:
    """An answer of some 100 kB, the body of which is 100 MB of zeros."""
    packers = {
        "gzip": zlib.compressobj(wbits=31).compress,
        "deflate": zlib.compressobj().compress,
        "br": brotli.Compressor(quality=1).process,
    }
    return encoded(b"".join(packers[encoding](bytes(1_000_000)) for _ in range(100)), encoding)


def _bomb(encoding: str) -> Answer:
    async def sends(head: str, out: asyncio.StreamWriter) -> None:
        await send(bomb(encoding))(head, out)

    return sends


CHUNKED = answer(b"", length=-1, Transfer_Encoding="chunked")
ENDLESS = answer(b"", length=-1, Connection="close")
MEGABYTE = b"x" * 1_000_000

FAULTS: dict[str, Answer] = {
    "good": send(answer()),
    "203": send(answer(status="203 Non-Authoritative Information")),
    "206": send(answer(status="206 Partial Content")),
    "204": send(answer(b"", status="204 No Content", length=-1)),
    "empty": send(answer(b"")),
    "error-page": send(answer(b"<html><body><h1>404 - not found</h1></body></html>")),
    "403": send(answer(status="403 Forbidden")),
    "404": send(answer(status="404 Not Found")),
    "410": send(answer(status="410 Gone")),
    "500": send(answer(status="500 Internal Server Error")),
    "503": send(answer(status="503 Service Unavailable")),
    "429": send(answer(status="429 Too Many Requests")),
    "429-in-an-hour": send(answer(status="429 Too Many Requests", Retry_After="3600")),
    "hang-before-headers": send_and_hang(b""),
    "hang-in-headers": send_and_hang(b"HTTP/1.1 200 OK\r\nContent-Type: te"),
    "hang-after-headers": send_and_hang(answer(b"", length=1000)),
    "hang-mid-body": send_and_hang(answer(HTML[:500], length=len(HTML))),
    "byte-by-byte": stream(ENDLESS, b"x", pause=PAUSE),
    "headers-byte-by-byte": stream(b"HTTP/1.1 200 OK\r\nX: ", b"x", pause=PAUSE),
    "endless": stream(ENDLESS, MEGABYTE),
    "endless-chunks": stream(CHUNKED, b"f4240\r\n" + MEGABYTE + b"\r\n"),
    "200-megabytes": stream(answer(b"", length=200_000_000), MEGABYTE, times=200),
    "reset": send_and_reset(b""),
    "reset-mid-body": send_and_reset(answer(HTML[:500], length=len(HTML))),
    "close": send(b"", then_close=True),
    "short-body": send(answer(HTML[:500], length=len(HTML)), then_close=True),
    "long-body": send(answer(HTML + b"more than was said", length=len(HTML))),
    "until-closed": send(answer(length=-1, Connection="close"), then_close=True),
    "chunked": send(CHUNKED + b"5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n"),
    "torn-chunk": send(CHUNKED + b"5\r\nhello\r\n100\r\n world", then_close=True),
    "no-last-chunk": send(CHUNKED + b"5\r\nhello\r\n", then_close=True),
    "bad-chunk": send(CHUNKED + b"5\r\nhello\r\nxyz\r\n", then_close=True),
    "garbage": send(b"\x00\x01\x02 this is not HTTP at all\r\n\r\n", then_close=True),
    "huge-header": send(answer(X_Huge="x" * 100_000)),
    "many-headers": send(b"HTTP/1.1 200 OK\r\n" + b"X: x\r\n" * 1000 + b"\r\n"),
    "endless-headers": stream(b"HTTP/1.1 200 OK\r\n", b"X: " + b"x" * 10_000 + b"\r\n"),
    "gzip": send(encoded(gzip.compress(HTML), "gzip")),
    "x-gzip": send(encoded(gzip.compress(HTML[:100]) + gzip.compress(HTML[100:]), "x-gzip")),
    "deflate": send(encoded(zlib.compress(HTML), "deflate")),
    "raw-deflate": send(encoded(_raw_deflate(HTML), "deflate")),
    "br": send(encoded(brotli.compress(HTML), "br")),
    "br-in-gzip": send(encoded(gzip.compress(brotli.compress(HTML)), "br, gzip")),
    "torn-gzip": send(encoded(gzip.compress(HTML)[:-20], "gzip")),
    "torn-br": send(encoded(brotli.compress(HTML)[:-5], "br")),
    "not-gzip": send(encoded(HTML, "gzip")),
    "not-br": send(encoded(HTML, "br")),
    "bomb-gzip": _bomb("gzip"),
    "bomb-deflate": _bomb("deflate"),
    "bomb-br": _bomb("br"),
    "zstd": send(encoded(HTML, "zstd")),
    "three-encodings": send(encoded(HTML, "gzip, gzip, gzip")),
}
