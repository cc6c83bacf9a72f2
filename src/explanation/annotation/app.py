"""The page and its four requests over HTTP, for all who reach the address it is served on: there is no password.

A page of another site can neither read what is here (no such permission is given) nor write ratings (its Origin is
refused), nor can a name that it points to this machine (the Host must be one of ours). What the page may load comes
from here.
"""

from collections.abc import Sequence
from pathlib import Path

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from src.errors import InputError, OutputError, locate
from src.explanation.annotation.desk import Desk, Sent
from src.serving.headers import guarded
from src.serving.received import check_origin, read_json

PAGE = Path(__file__).parent / "page"
LONGEST = 100_000  # bytes of a rating
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)


def app(desk: Desk, hosts: Sequence[str]) -> ASGIApp:
    """`hosts` are the names, without port, under which browsers may ask."""
    asked = _Requests(desk)
    found = Starlette(
        routes=[
            Route("/study", asked.study),
            Route("/explanation", asked.explanation),
            Route("/rating", asked.rating, methods=["POST"]),
            Route("/summary", asked.summary),
            Mount("/", StaticFiles(directory=PAGE, html=True)),
        ],
        exception_handlers={InputError: _refused, OutputError: _refused},
    )
    return guarded(found, hosts, POLICY)


class _Requests:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def study(self, request: Request) -> Response:
        return _json(self._desk.opened(_asked(request, "annotator")))

    async def explanation(self, request: Request) -> Response:
        place = _asked(request, "place")
        if not place.isdecimal() or len(place) > 9:
            raise InputError("is no whole number", field="place")
        return _json(self._desk.laid(_asked(request, "annotator"), int(place)))

    async def rating(self, request: Request) -> Response:
        check_origin(request, "ratings come from the page itself")
        self._desk.rate(await read_json(request, Sent, LONGEST))
        return Response(status_code=204)

    async def summary(self, request: Request) -> Response:
        return _json(self._desk.summary(_asked(request, "annotator")))


def _json(found: object) -> Response:
    return Response(msgspec.json.encode(found), media_type="application/json")


def _asked(request: Request, name: str) -> str:
    value = request.query_params.get(name)
    if value is None:
        raise InputError("missing", field=name)
    return value


async def _refused(request: Request, error: Exception) -> Response:
    return PlainTextResponse(locate(str(error)), 400 if isinstance(error, InputError) else 507)
