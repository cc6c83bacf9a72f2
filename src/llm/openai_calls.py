"""Calls of the OpenAI interface, and what a transport of calls is: a server, or files of a batch."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

import msgspec
from msgspec.structs import replace

CHAT, PLAIN = "/v1/chat/completions", "/v1/completions"
FORMAT = "response_format"  # of a chat: the schema of its answer
LIMIT, NEW_LIMIT = "max_tokens", "max_completion_tokens"  # names of the most tokens of an answer; the second for chats
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

    def with_new_limit(self) -> "Call":
        """Return the call with its limit under the newer name. OpenAI's current models refuse "max_tokens"."""
        names = {LIMIT: NEW_LIMIT}
        return replace(self, body={names.get(name, name): value for name, value in self.body.items()})

    def without_format(self) -> "Call":
        """Return the call without a schema of the answer. Some servers refuse one."""
        return replace(self, body={name: value for name, value in self.body.items() if name != FORMAT})


Send = Callable[[Call], Awaitable[bytes]]


class Transport(Protocol):
    """What answers calls. `session` yields a function from a call to the body of its answer.

    `refuses_format`: it has refused a schema, so calls are sent without one.
    """

    @property
    def refuses_format(self) -> bool: ...

    def session(self) -> AbstractAsyncContextManager[Send]: ...


def shown(value: object) -> str:
    """Return the beginning of a text as one line, for a message."""
    return " ".join(str(value).split())[:SHOWN]
