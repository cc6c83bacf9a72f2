"""Calls of the OpenAI interface, and what a transport of calls is: a server, or files of a batch."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

import msgspec

CHAT, PLAIN = "/v1/chat/completions", "/v1/completions"
SHOWN = 300  # characters of an answer in a message


class Call(msgspec.Struct, frozen=True):
    """One call of the interface.

    `url`: CHAT or PLAIN.
    `body`: fields of the interface.
    `beyond_openai`: fields that only some servers know.
    """

    url: str
    body: dict[str, Any]
    beyond_openai: dict[str, Any] = {}


Send = Callable[[Call], Awaitable[bytes]]


class Transport(Protocol):
    """What answers calls. `session` yields a function from a call to the body of its answer."""

    def session(self) -> AbstractAsyncContextManager[Send]: ...


def shown(value: object) -> str:
    """Return the beginning of a text as one line, for a message."""
    return " ".join(str(value).split())[:SHOWN]
