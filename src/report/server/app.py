"""HTTP application of the server: pages, JSON API and its description, for this machine only."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus

import msgspec
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse
from starlette.routing import Route

from src.errors import InputError, OutputError, one_line
from src.report.rendering import page, policy
from src.report.server.check_service import PAGE, CheckService
from src.report.server.events import STREAM, events
from src.report.server.openapi import description
from src.report.server.pages import Pages
from src.report.server.records import Accepted, EmptyBody, Limit, Refusal, Start, links
from src.report.server.submission import FOREIGN, LONGEST, ClaimSubmission, renamed
from src.serving.refused import RefusedError
from src.serving.requests import JSON, check_origin, query_number, read_json

PATIENCE = 5.0  # seconds for a check to end after it was canceled
REFUSED = (InputError, OutputError, HTTPException, Exception)


def app(service: CheckService) -> Starlette:
    """Return the HTTP application. Neither the Host header nor a password is checked: `secured` does that."""
    described = msgspec.json.encode(description(service.limits, service.providers))

    def openapi(request: Request) -> Response:
        return Response(described, media_type=JSON)

    @asynccontextmanager
    async def working(_: Starlette) -> AsyncIterator[None]:
        service.start()
        yield
        service.stop()
        await run_in_threadpool(service.join, PATIENCE)

    return Starlette(
        routes=[*Pages(service).routes(), *Api(service).routes(), Route("/openapi.json", openapi)],
        exception_handlers=dict.fromkeys(REFUSED, refused),
        lifespan=working,
    )


class Api:
    """Handlers of the JSON API, one method for each operation in the OpenAPI description (`openapi.py`)."""

    def __init__(self, service: CheckService) -> None:
        self._service = service

    def routes(self) -> list[Route]:
        one = "/api/check/{check_id}"
        return [
            Route("/api/check", self.ask, methods=["POST"]),
            Route(one, self.one, methods=["GET", "DELETE"]),
            Route(f"{one}/events", self.events),
            Route(f"{one}/cancel", self.cancel, methods=["POST"]),
            Route("/api/checks", self.listing),
        ]

    async def ask(self, request: Request) -> Response:
        check_origin(request, FOREIGN)
        body = await read_json(request, ClaimSubmission, LONGEST, renamed)
        check = await run_in_threadpool(self._service.ask, body)
        to_check = links(check.id)
        return _json(Accepted(check.id, check.status, to_check), 202, {"Location": to_check.self})

    def one(self, request: Request) -> Response:
        if request.method == "DELETE":
            check_origin(request, FOREIGN)
            self._service.delete(_check_id(request), for_good=True)
            return Response(status_code=204)
        return _json(self._service.answer(_check_id(request)))

    async def events(self, request: Request) -> Response:
        check_origin(request, FOREIGN)
        check_id = _check_id(request)
        self._service.state(check_id)  # refuses an unknown id before the response begins
        if request.method == "HEAD":
            return Response(media_type=STREAM)
        stream = events(self._service, check_id, request.headers.get("last-event-id", ""))
        return StreamingResponse(stream, media_type=STREAM)

    async def cancel(self, request: Request) -> Response:
        check_origin(request, FOREIGN)
        if request.headers.get("content-length", "0") != "0" or "transfer-encoding" in request.headers:
            await read_json(request, EmptyBody, LONGEST)
        return _json(await run_in_threadpool(self._service.cancel, _check_id(request)))

    def listing(self, request: Request) -> Response:
        start, limit = query_number(request, "start", Start, 0), query_number(request, "limit", Limit, PAGE)
        return _json(self._service.listing(start, limit))


def _check_id(request: Request) -> str:
    """Return the check's id from the URL path; it is used as a key of the history, never as a file path."""
    check_id: str = request.path_params["check_id"]
    return check_id


def _json(record: object, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(msgspec.json.encode(record), status, headers, media_type=JSON)


async def refused(request: Request, error: Exception) -> Response:
    """Return the response to an error: JSON for the API, an HTML page for other paths.

    An error other than InputError, OutputError and HTTPException is a bug of the program.
    """
    status, refusal, headers = 500, Refusal("a fault of the program; the server's terminal says more"), None
    if isinstance(error, RefusedError):
        status, refusal, headers = error.status, Refusal(one_line(error.message), error.field), error.headers
    elif isinstance(error, InputError):
        status, refusal = 422, Refusal(one_line(error.message), error.field)
    elif isinstance(error, OutputError):
        status, refusal = 507, Refusal(one_line(str(error)))
    elif isinstance(error, HTTPException):
        status, refusal, headers = error.status_code, Refusal(error.detail), error.headers
    if request.url.path.startswith("/api/"):
        return Response(msgspec.json.encode(refusal), status, headers, media_type=JSON)
    html = page("serve/refused.html", title=HTTPStatus(status).phrase, refusal=refusal)
    return HTMLResponse(html, status, {**(headers or {}), "Content-Security-Policy": policy()})
