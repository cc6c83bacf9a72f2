"""The tools over HTTP (streamable), for the hosts that a server accepts."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.types import ASGIApp

from src.report.server.check_service import CheckService
from src.report.server.submission import LONGEST

MOST_SESSIONS = 100
KINDS = ("http", "https")  # https: behind a proxy with TLS


def http_app(service: CheckService, server: MCPServer, hosts: Sequence[str]) -> ASGIApp:
    """Return the HTTP application of the tools, at /mcp; it starts and stops the service.

    `hosts`: accepted values of the Host header, without port; a page of another site cannot send requests.
    """
    security = TransportSecuritySettings(
        allowed_hosts=[one for host in hosts for one in (host, f"{host}:*")],
        allowed_origins=[f"{kind}://{host}{port}" for kind in KINDS for host in hosts for port in ("", ":*")],
    )
    app: Starlette = server.streamable_http_app(
        transport_security=security, max_request_body_size=LONGEST, max_sessions=MOST_SESSIONS
    )
    own = app.router.lifespan_context

    @asynccontextmanager
    async def working(starlette: Starlette) -> AsyncIterator[None]:
        service.start()
        async with own(starlette):
            yield
        service.stop()

    app.router.lifespan_context = working
    return app
