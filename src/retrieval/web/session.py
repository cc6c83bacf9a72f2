"""HTTP client session (aiohttp): no hidden retries, checked IP addresses, verified TLS, tolerance of faulty servers.

aiohttp is changed in four ways. A response with bytes beyond its Content-Length is cut at that length, as in browsers,
instead of being dropped; servers that count characters instead of bytes send such responses. When a chunked body is
malformed, the reader of the body gets an error instead of waiting forever. Idle connections are counted in the limit of
connections. Connections are closed at once, since a TLS shutdown with a silent server would take half a minute.

Certificates are checked against the system's store (`SSL_CERT_FILE` names another) and certifi's.

Limitations: no cookies, no proxies and no .netrc from the environment, no HTTP/2.
"""

import asyncio
import ssl
from dataclasses import dataclass
from functools import partial

import aiohttp
import certifi
from aiohttp.client_proto import ResponseHandler

from src.retrieval.web.download import Limits
from src.retrieval.web.failures import failure_of
from src.retrieval.web.ssrf_guard import SsrfGuard


@dataclass
class Connections:
    """Number of open connections. While more than `limit` are open, connections are closed after use."""

    limit: int
    open: int = 0


class ForgivingHandler(ResponseHandler):
    """Handler of one connection for aiohttp, tolerant of malformed responses.

    It parses the head of a response before the body, reports parser errors to the reader of the body, aborts
    connections instead of closing them, and limits idle connections.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, connections: Connections) -> None:
        super().__init__(loop)
        self._connections = connections

    @property
    def should_close(self) -> bool:
        return super().should_close or self._connections.open > self._connections.limit

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


IDLE = 2.0  # seconds that a connection is kept for the next request to the same host
FIELD = 32 * 1024  # largest header field in bytes; security policies of 10 kB are common


def open_session(limits: Limits, guard: SsrfGuard) -> aiohttp.ClientSession:
    """Return an aiohttp session that connects only to addresses allowed by the guard. Use it in one event loop only."""
    connector = aiohttp.TCPConnector(
        resolver=guard,
        socket_factory=guard.open_socket,
        use_dns_cache=False,
        ssl=_tls(),
        limit=0,
        keepalive_timeout=IDLE,
    )
    connections = Connections(limits.kept_connections)
    handler = partial(ForgivingHandler, loop=asyncio.get_running_loop(), connections=connections)
    connector._factory = handler  # type: ignore[assignment]
    return aiohttp.ClientSession(
        connector=connector,
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(
            total=None, connect=limits.connect, sock_connect=limits.connect, sock_read=limits.read
        ),
        headers={
            "User-Agent": limits.user_agent,
            "Accept": "text/html,application/xhtml+xml,application/pdf;q=0.9,text/plain;q=0.9,*/*;q=0.5",
            "Accept-Encoding": "gzip, deflate, br",
            "Accept-Language": "en,*;q=0.5",
        },
        auto_decompress=False,
        trust_env=False,
        max_field_size=FIELD,
        middlewares=(_once,),
    )


async def _once(request: aiohttp.ClientRequest, send: aiohttp.ClientHandlerType) -> aiohttp.ClientResponse:
    """Middleware that sends a request once: after a lost connection, aiohttp would silently repeat it."""
    try:
        return await send(request)
    except aiohttp.ClientConnectorError:
        raise
    except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError) as error:
        raise failure_of(error) from error


def _tls() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context
