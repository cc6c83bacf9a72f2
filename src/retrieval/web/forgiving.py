"""Connection handler that tolerates servers with which aiohttp loses a page, waits forever, or keeps a file open.

aiohttp drops a response that arrives in one packet with bytes beyond its Content-Length. Servers that count characters
often send these. Here the head is processed first; the page is kept and cut at its length, as in browsers. When a
chunked body is malformed half-way, aiohttp does not notify the reader of the body; here the reader gets the error.
aiohttp's limit counts only connections in use; here idle ones count too. Connections are closed at once, since the TLS
shutdown would keep a connection to a silent server open for half a minute.
"""

import asyncio
from dataclasses import dataclass

import aiohttp
from aiohttp.client_proto import ResponseHandler


@dataclass
class Connections:
    """Count of open connections; beyond `kept` of them none is kept for another request."""

    kept: int
    open: int = 0


class ForgivingHandler(ResponseHandler):
    """aiohttp's handler of one connection, made tolerant."""

    def __init__(self, loop: asyncio.AbstractEventLoop, connections: Connections) -> None:
        super().__init__(loop)
        self._connections = connections

    @property
    def should_close(self) -> bool:
        return super().should_close or self._connections.open > self._connections.kept

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._connections.open += 1
        super().connection_made(transport)

    def connection_lost(self, exc: BaseException | None) -> None:
        self._connections.open -= 1
        super().connection_lost(exc)

    def close(self) -> None:
        self.abort()

    def data_received(self, data: bytes) -> None:
        if data.startswith(b"HTTP/"):
            head, end, data = data.partition(b"\r\n\r\n")
            super().data_received(head + end)
            if not data:
                return
        super().data_received(data)
        broken, payload = self.exception(), self._payload
        if broken is not None and payload is not None and not payload.is_eof():
            payload.set_exception(aiohttp.ClientPayloadError(str(broken)))
