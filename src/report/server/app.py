"""The application: pages, API and its description, for this machine only."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import msgspec
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from src.report.server.api import Api
from src.report.server.check_service import Desk
from src.report.server.openapi import description
from src.report.server.pages import Pages
from src.report.server.refusals import HANDLED, refused
from src.serving.headers import guarded
from src.serving.received import JSON

POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
PATIENCE = 5.0  # seconds for a check to end after it was canceled


def app(desk: Desk, hosts: Sequence[str]) -> ASGIApp:
    """Return the application; `hosts` are the names, without port, that browsers may ask for."""
    described = msgspec.json.encode(description(desk.limits, desk.providers))

    def openapi(request: Request) -> Response:
        return Response(described, media_type=JSON)

    @asynccontextmanager
    async def working(_: Starlette) -> AsyncIterator[None]:
        desk.begin()
        yield
        await run_in_threadpool(desk.end, PATIENCE)

    found = Starlette(
        routes=[*Pages(desk).routes(), *Api(desk).routes(), Route("/openapi.json", openapi)],
        exception_handlers=dict.fromkeys(HANDLED, refused),
        lifespan=working,
    )
    return guarded(found, hosts, POLICY)
