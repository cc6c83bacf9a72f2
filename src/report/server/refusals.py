"""Responses to requests that fail: JSON for programs, a page for people."""

from http import HTTPStatus

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from src.errors import InputError, OutputError, one_line
from src.report.look import page, policy
from src.report.server.answers import Wrong
from src.serving.received import JSON
from src.serving.refused import RefusedError

HANDLED = (InputError, OutputError, HTTPException, Exception)


async def refused(request: Request, error: Exception) -> Response:
    """Return the response to an error. One that is no InputError, OutputError or HTTPException is a program fault."""
    status, wrong, headers = 500, Wrong("a fault of the program; the server's terminal says more"), None
    if isinstance(error, RefusedError):
        status, wrong, headers = error.status, Wrong(one_line(error.message), error.field), error.headers
    elif isinstance(error, InputError):
        status, wrong = (422, Wrong(one_line(error.message), error.field))
    elif isinstance(error, OutputError):
        status, wrong = 507, Wrong(one_line(str(error)))
    elif isinstance(error, HTTPException):
        status, wrong, headers = error.status_code, Wrong(error.detail), error.headers
    if request.url.path.startswith("/api/"):
        return Response(msgspec.json.encode(wrong), status, headers, media_type=JSON)
    html = page("serve/refused.html", title=HTTPStatus(status).phrase, wrong=wrong)
    return HTMLResponse(html, status, {**(headers or {}), "Content-Security-Policy": policy()})
