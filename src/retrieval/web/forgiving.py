"""How answers are taken in where aiohttp would lose a page, or wait for a body that will not come.

aiohttp drops an answer that comes in one packet with bytes beyond its Content-Length, a common mistake of servers that
count characters. With the head taken in first, the page is kept and cut where its length says, as browsers do. And
when a body breaks the rules of chunks half-way, aiohttp does not tell who reads it; here the reader is told.
"""

import aiohttp
from aiohttp.client_proto import ResponseHandler


class ForgivingHandler(ResponseHandler):
    """aiohttp's handler of one connection."""

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
