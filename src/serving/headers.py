"""Security headers of all responses: load nothing from other sites, send no referrer, do not cache."""

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


POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"


def with_headers(app: ASGIApp, policy: str = POLICY) -> ASGIApp:
    """Return the application with security headers on every response, including refusals and errors.

    `policy` is the Content-Security-Policy of responses that have none.
    """
    return _WithHeaders(app, policy)


def for_hosts(app: ASGIApp, hosts: Sequence[str]) -> ASGIApp:
    """Return the application, which refuses foreign host names that resolve to this machine.

    `hosts` are the accepted values of the Host header, without port.
    """
    return TrustedHostMiddleware(app, allowed_hosts=list(hosts), www_redirect=False)


class _WithHeaders:
    """ASGI application that adds the security headers to every response of another one."""

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
