"""The JSON API: ask for a check, follow it, read its result, cancel it, delete it, list the history."""

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from src.errors import InputError
from src.report.server.answers import Accepted, Limit, Nothing, Start, links
from src.report.server.check_service import PAGE, Desk
from src.report.server.events import STREAM
from src.report.server.schemas import Sent
from src.serving.received import JSON, check_origin, read_json

LONGEST = 64_000  # bytes of a body
FOREIGN = "a page of another site may not ask for this"


class Api:
    """Handlers of the API; one method for each operation of the description (`openapi.py`)."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

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
        sent = await read_json(request, Sent, LONGEST)
        check = await run_in_threadpool(self._desk.ask, sent)
        found = links(check.id)
        return _json(Accepted(check.id, check.status, found), 202, {"Location": found.self})

    def one(self, request: Request) -> Response:
        if request.method == "DELETE":
            check_origin(request, FOREIGN)
            self._desk.delete(_check_id(request))
            return Response(status_code=204)
        return _json(self._desk.answer(_check_id(request)))

    async def events(self, request: Request) -> Response:
        check_origin(request, FOREIGN)
        found = self._desk.events(_check_id(request), request.headers.get("last-event-id", ""))
        if request.method == "HEAD":
            return Response(media_type=STREAM)
        return StreamingResponse(found, media_type=STREAM)

    async def cancel(self, request: Request) -> Response:
        check_origin(request, FOREIGN)
        if request.headers.get("content-length", "0") != "0" or "transfer-encoding" in request.headers:
            await read_json(request, Nothing, LONGEST)
        return _json(await run_in_threadpool(self._desk.cancel, _check_id(request)))

    def listing(self, request: Request) -> Response:
        start, limit = number(request, "start", Start, 0), number(request, "limit", Limit, PAGE)
        return _json(self._desk.listing(start, limit))


def _check_id(request: Request) -> str:
    """Return the id from the path; it is used as a key of the history, never as a path."""
    found: str = request.path_params["check_id"]
    return found


def number(request: Request, name: str, type_: object, usual: int) -> int:
    try:
        found: int = msgspec.convert(request.query_params.get(name, str(usual)), type_, strict=False)
    except msgspec.ValidationError as error:
        raise InputError(str(error), field=name) from None
    return found


def _json(found: object, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(msgspec.json.encode(found), status, headers, media_type=JSON)
