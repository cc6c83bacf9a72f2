"""Calls of the OpenAI interface, and what a transport of calls is: a server, or files of a batch."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

import msgspec
from msgspec.structs import replace

from src.errors import InputError
from src.json_decoding import decode

CHAT, PLAIN = "/v1/chat/completions", "/v1/completions"
FORMAT = "response_format"  # of a chat: the schema of its answer
LIMIT, NEW_LIMIT = "max_tokens", "max_completion_tokens"  # names of the most tokens of an answer; the second for chats
LEFT_OUT = ("temperature", "seed", "stop", "logprobs", "top_logprobs")  # fields that a call can do without
OURS = ("model", "messages", "prompt", "n", "stream")  # fields that only this project sets
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

    def without(self, names: Collection[str]) -> "Call":
        """Return the call without fields of the interface that a server refuses."""
        return replace(self, body={name: value for name, value in self.body.items() if name not in names})

    def with_fields(self, fields: Mapping[str, Any]) -> "Call":
        """Return the call with further fields, without those that are None (RFC 7396, at the top level)."""
        given = {name: value for name, value in fields.items() if value is not None}
        return replace(self.without(fields), beyond_openai=self.beyond_openai | given)


Send = Callable[[Call], Awaitable[bytes]]


class Transport(Protocol):
    """What answers calls. `session` yields a function from a call to the body of its answer.

    `refuses_format`: it has refused a schema, so calls are sent without one.
    """

    @property
    def refuses_format(self) -> bool: ...

    def session(self) -> AbstractAsyncContextManager[Send]: ...


def read_fields(text: str) -> dict[str, Any]:
    """Return the fields that a JSON object names, {} for "". Raises InputError if it is none, or sets one of `OURS`."""
    try:
        fields = decode(text.encode("utf-8", "surrogateescape") or b"{}", dict[str, Any])
    except msgspec.DecodeError as error:
        raise InputError(f"--server_fields {shown(text)}: not a JSON object ({error})") from None
    if ours := [name for name in OURS if name in fields]:
        raise InputError(f"--server_fields: {', '.join(ours)} cannot be set")
    return fields


def shown(value: object) -> str:
    """Return the beginning of a text as one line, for a message."""
    return " ".join(str(value).split())[:SHOWN]
