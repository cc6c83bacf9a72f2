"""HTTP client session: no hidden retries, checked addresses, verified TLS.

Certificates are checked against the system's store (`SSL_CERT_FILE` names another) and certifi's.

Limitations: no cookies, no proxies and no .netrc from the environment, no HTTP/2.
"""

import asyncio
import ssl
from functools import partial

import aiohttp
import certifi

from src.retrieval.web.failures import failure_of
from src.retrieval.web.forgiving import Connections, ForgivingHandler
from src.retrieval.web.limits import Limits
from src.retrieval.web.ssrf_guard import AddressGate

IDLE = 2.0  # seconds that a connection is kept for the next request to the same host
FIELD = 32 * 1024  # one header field; policies of 10 kB are common


def open_session(limits: Limits, gate: AddressGate) -> aiohttp.ClientSession:
    """Return a session whose connections all pass the gate. Call, use and close it in one event loop."""
    connector = aiohttp.TCPConnector(
        resolver=gate,
        socket_factory=gate.open_socket,
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
    """Hide a lost connection from aiohttp, which would repeat the request uncounted."""
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
