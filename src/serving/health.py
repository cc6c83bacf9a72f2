"""Health check of a server, for containers; it needs no password."""

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

PATH = "/health"


def healthy(app: ASGIApp) -> ASGIApp:
    """Return the application, with an answer at /health that says nothing but that it is there."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        is_asked = scope["type"] == "http" and scope["path"] == PATH and scope["method"] in ("GET", "HEAD")
        await (PlainTextResponse("here") if is_asked else app)(scope, receive, send)

    return answer
