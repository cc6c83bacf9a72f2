"""A password for an application that other machines can reach: HTTP Basic, or a bearer token for programs.

It is that of the environment variable SERVE_PASSWORD, or made anew at each start. The user name does not matter.

Limitations: over plain HTTP everybody on the way can read it; put a proxy with TLS before the server. One password for
all. The pause slows down guessing only a little, so a password of your own should be long.
"""

import base64
import binascii
import os
import secrets
from asyncio import sleep

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from src.errors import InputError

VARIABLE = "SERVE_PASSWORD"
SHORTEST = 8
PAUSE = 1.0  # seconds before a wrong password is answered
MOST_PAUSES = 5  # at a time, so that wrong passwords cannot use up the server's connections
BUSY = {"Retry-After": "1", "Connection": "close"}
ASK = {"WWW-Authenticate": 'Basic realm="fact-check", charset="UTF-8"'}


def own_password() -> str:
    """Return the password of the environment, without spaces around it; "" if there is none."""
    return os.environ.get(VARIABLE, "").strip()


def password_of(*, is_needed: bool) -> str:
    """Return the password: that of the environment, else a new one if one is needed, else "".

    Raises InputError for one that is shorter than eight characters.
    """
    own = own_password()
    if own and len(own) < SHORTEST:
        raise InputError(f"{VARIABLE} has fewer than {SHORTEST} characters")
    return own or (secrets.token_urlsafe(12) if is_needed else "")


def protected(app: ASGIApp, password: str) -> ASGIApp:
    """Return the application behind the password; the application itself for ""."""
    return _Protected(app, password.encode()) if password else app


class _Protected:
    def __init__(self, app: ASGIApp, password: bytes) -> None:
        self._app, self._password = app, password
        self._pauses = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" or self._is_known(Headers(scope=scope).get("Authorization", "")):
            await self._app(scope, receive, send)
            return
        await (await self._refusal(Headers(scope=scope)))(scope, receive, send)

    async def _refusal(self, headers: Headers) -> Response:
        """Return the response to a request without the password, after a pause if it has a wrong one."""
        if headers.get("Authorization"):
            if self._pauses >= MOST_PAUSES:
                return PlainTextResponse("too many wrong passwords; try again later", 429, BUSY)
            self._pauses += 1
            try:
                await sleep(PAUSE)
            finally:
                self._pauses -= 1
        return PlainTextResponse("a password is needed", 401, ASK)

    def _is_known(self, header: str) -> bool:
        kind, _, given = header.partition(" ")
        if kind.lower() == "bearer":
            return secrets.compare_digest(given.encode("latin-1", "replace"), self._password)  # as it was sent
        if kind.lower() != "basic":
            return False
        try:
            _, colon, password = base64.b64decode(given.strip(), validate=True).partition(b":")
        except (binascii.Error, ValueError):
            return False
        return bool(colon) and secrets.compare_digest(password, self._password)
