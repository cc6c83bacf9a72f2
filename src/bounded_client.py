"""HTTP client for services, with a time limit for each exchange and a size limit for each answer.

The time limit covers name lookup, connecting, headers, redirects and body together. A server that sends single bytes
slowly is therefore cut off as well. The size limit applies to the body as received and as decompressed.

Limitations: gzip is the only content encoding supported. With `stream` the time limit ends with the headers; the caller
limits the rest.
"""

import asyncio
import zlib
from collections.abc import AsyncIterator
from functools import cache
from ssl import SSLContext
from typing import Any

import httpx2

MOST_BYTES = 16_000_000  # largest answer in JSON: a thousand times a usual one


class TooLargeError(Exception):
    """Raised when the answer has more bytes than the client accepts."""

    def __init__(self, most_bytes: int) -> None:
        super().__init__(f"the answer has more than {most_bytes:,} bytes")


class BoundedClient(httpx2.AsyncClient):
    """HTTP client with a time limit for each exchange and a size limit for each answer.

    Raises httpx2.ReadTimeout after `seconds`, TooLargeError for an answer of more than `most_bytes`, and the errors of
    httpx2.AsyncClient.
    """

    def __init__(self, seconds: float, most_bytes: int = MOST_BYTES, *, follow_redirects: bool = False) -> None:
        super().__init__(
            verify=_tls(),
            timeout=seconds,
            follow_redirects=follow_redirects,
            headers={"Accept-Encoding": "gzip"},
            event_hooks={"response": [self._bound]},
        )
        self._seconds, self._most_bytes = seconds, most_bytes

    async def send(self, request: httpx2.Request, **how: Any) -> httpx2.Response:
        try:
            async with asyncio.timeout(self._seconds):
                return await super().send(request, **how)
        except TimeoutError:
            raise httpx2.ReadTimeout(f"no whole answer within {self._seconds:g} s", request=request) from None

    async def _bound(self, response: httpx2.Response) -> None:
        """Replace the response's stream by one that counts and decompresses the body, before any of it is read."""
        encoding = response.headers.pop("Content-Encoding", "identity").strip().lower()
        if encoding not in ("gzip", "identity"):
            raise httpx2.DecodingError(f"the answer has the content encoding {encoding[:40]}, which was not asked for")
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _BoundedStream(response.stream, self._most_bytes, is_gzip=encoding == "gzip")


class _BoundedStream(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, most_bytes: int, *, is_gzip: bool) -> None:
        self._stream, self._most_bytes = stream, most_bytes
        self._decoder = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS) if is_gzip else None

    async def __aiter__(self) -> AsyncIterator[bytes]:
        received = put_out = 0
        async for data in self._stream:
            received += len(data)
            piece = self._decoded(data, self._most_bytes - put_out + 1)
            put_out += len(piece)
            if max(received, put_out) > self._most_bytes:
                raise TooLargeError(self._most_bytes)
            yield piece

    def _decoded(self, data: bytes, most: int) -> bytes:
        """Return the decompressed `data`, at most `most` bytes of it."""
        if self._decoder is None:
            return data
        try:
            return self._decoder.decompress(data, most)
        except zlib.error as error:
            raise httpx2.DecodingError(f"damaged gzip: {error}") from None

    async def aclose(self) -> None:
        await self._stream.aclose()


@cache
def _tls() -> SSLContext:
    """Return the TLS context that all clients share: creating one takes longer than a local request."""
    return httpx2.create_ssl_context()
