"""HTTP application of the annotation page: four kinds of requests, without a password.

Pages of other sites cannot read responses, because no CORS permission is given, and cannot send answers, because their
Origin is refused. The page loads nothing from other sites.
"""

from pathlib import Path
from typing import Generic, Protocol, TypeVar

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from src.errors import InputError, OutputError, locate
from src.serving.headers import with_headers
from src.serving.requests import check_origin, read_json

SHARED = Path(__file__).parent / "page"
LONGEST = 100_000  # bytes of an answer
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)

Sent = TypeVar("Sent")
Received = TypeVar("Received", contravariant=True)


class Service(Protocol[Received]):
    """Service that gives annotators their tasks and saves their answers. Methods raise InputError for a bad request."""

    def study(self, name: str) -> object: ...
    def task(self, name: str, place: int) -> object: ...
    def rate(self, sent: Received) -> None: ...
    def summary(self, name: str) -> object: ...


def app(service: Service[Sent], sent: type[Sent], page: Path) -> ASGIApp:
    """Return the HTTP application. The Host header is not checked: `secured` does that.

    `sent` is the record type of an answer, `page` a folder with index.html.
    """
    handlers = _Requests(service, sent)
    application = Starlette(
        routes=[
            Route("/study", handlers.study),
            Route("/task", handlers.task),
            Route("/rating", handlers.rating, methods=["POST"]),
            Route("/summary", handlers.summary),
            Mount("/shared", StaticFiles(directory=SHARED)),
            Mount("/", StaticFiles(directory=page, html=True)),
        ],
        exception_handlers={InputError: _refused, OutputError: _refused},
    )
    return with_headers(application, POLICY)


class _Requests(Generic[Sent]):
    def __init__(self, service: Service[Sent], sent: type[Sent]) -> None:
        self._service, self._sent = service, sent

    async def study(self, request: Request) -> Response:
        return _json(self._service.study(_parameter(request, "annotator")))

    async def task(self, request: Request) -> Response:
        place = _parameter(request, "place")
        if not place.isdecimal() or len(place) > 9:
            raise InputError("is no whole number", field="place")
        return _json(self._service.task(_parameter(request, "annotator"), int(place)))

    async def rating(self, request: Request) -> Response:
        check_origin(request, "ratings come from the page itself")
        self._service.rate(await read_json(request, self._sent, LONGEST))
        return Response(status_code=204)

    async def summary(self, request: Request) -> Response:
        return _json(self._service.summary(_parameter(request, "annotator")))


def _json(data: object) -> Response:
    return Response(msgspec.json.encode(data), media_type="application/json")


def _parameter(request: Request, name: str) -> str:
    value = request.query_params.get(name)
    if value is None:
        raise InputError("missing", field=name)
    return value


async def _refused(request: Request, error: Exception) -> Response:
    return PlainTextResponse(locate(str(error)), 400 if isinstance(error, InputError) else 507)
