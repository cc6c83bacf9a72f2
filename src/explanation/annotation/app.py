"""The page and its four requests over HTTP, for all who reach the address it is served on: there is no password.

A page of another site can neither read what is here (no such permission is given) nor write ratings (its Origin is
refused), nor can a name that it points to this machine (the Host must be one of ours). What the page may load comes
from here.
"""

from collections.abc import Sequence
from pathlib import Path

import msgspec
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from src.errors import InputError, OutputError, locate
from src.explanation.annotation.desk import Desk, Sent
from src.shape_error import UNREADABLE, shape_error

PAGE = Path(__file__).parent / "page"
LONGEST = 100_000  # bytes of a rating
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


def app(desk: Desk, hosts: Sequence[str]) -> Starlette:
    """`hosts` are the names, without port, under which browsers may ask."""
    asked = _Requests(desk)
    return Starlette(
        routes=[
            Route("/study", asked.study),
            Route("/explanation", asked.explanation),
            Route("/rating", asked.rating, methods=["POST"]),
            Route("/summary", asked.summary),
            Mount("/", StaticFiles(directory=PAGE, html=True)),
        ],
        middleware=[
            Middleware(_WithHeaders),
            Middleware(TrustedHostMiddleware, allowed_hosts=list(hosts), www_redirect=False),
        ],
        exception_handlers={InputError: _refused, OutputError: _refused},
    )


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
        self._desk.rate(await _sent(request))
        return Response(status_code=204)

    async def summary(self, request: Request) -> Response:
        return _json(self._desk.summary(_asked(request, "annotator")))


class _WithHeaders:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        await self._app(scope, receive, with_headers)


def _json(found: object) -> Response:
    return Response(msgspec.json.encode(found), media_type="application/json")


def _asked(request: Request, name: str) -> str:
    value = request.query_params.get(name)
    if value is None:
        raise InputError("missing", field=name)
    return value


async def _sent(request: Request) -> Sent:
    origin = request.headers.get("origin")
    if origin is not None and origin != f"http://{request.headers['host']}":
        raise HTTPException(403, "ratings come from the page itself")
    if request.headers.get("content-type") != "application/json":
        raise InputError("is sent as application/json", field="content-type")
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LONGEST:
            raise InputError(f"longer than {LONGEST} bytes", field="body")
    try:
        return msgspec.json.decode(body, type=Sent)
    except UNREADABLE as error:
        said = shape_error(error, Path("rating"), 1, Sent)
        raise InputError(said.message, field=said.field) from None


async def _refused(request: Request, error: Exception) -> Response:
    return PlainTextResponse(locate(str(error)), 400 if isinstance(error, InputError) else 507)
