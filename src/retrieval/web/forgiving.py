"""How answers are taken in where aiohttp would lose a page, wait for a body that will not come, or keep a file open.

aiohttp drops an answer that comes in one packet with bytes beyond its Content-Length, a common mistake of servers that
count characters. With the head taken in first, the page is kept and cut where its length says, as browsers do. And
when a body breaks the rules of chunks half-way, aiohttp does not tell who reads it; here the reader is told.

aiohttp's limit counts connections in use only; here idle ones count too. And a connection is closed at once: the
farewell of TLS would keep it open for half a minute with a server that does not answer any more.
"""

import asyncio
from dataclasses import dataclass

import aiohttp
from aiohttp.client_proto import ResponseHandler


@dataclass
class Connections:
    """How many are `open`; beyond `kept` none is kept for another request."""

    kept: int
    open: int = 0


class ForgivingHandler(ResponseHandler):
    """aiohttp's handler of one connection."""

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
