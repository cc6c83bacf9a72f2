"""What every answer says to browsers: load nothing from elsewhere, tell nobody, keep nothing."""

from collections.abc import Sequence

from starlette.datastructures import MutableHeaders
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


def guarded(app: ASGIApp, hosts: Sequence[str], policy: str) -> ASGIApp:
    """The application with headers on every answer, refusals and faults included; only these hosts, named without
    port, may be asked.

    A name that another site points to this machine is none of them. `policy` is the Content-Security-Policy of answers
    that bring none of their own.
    """
    return _WithHeaders(TrustedHostMiddleware(app, allowed_hosts=list(hosts), www_redirect=False), policy)


class _WithHeaders:
    def __init__(self, app: ASGIApp, policy: str) -> None:
        self._app = app
        self._policy = policy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                headers.setdefault("Content-Security-Policy", self._policy)
            await send(message)

        await self._app(scope, receive, with_headers)
