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
OURS = ("model", "messages", "prompt", "n", "best_of", "echo", "stream", "stream_options", "tools", "functions")
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
        """Return the call with its limit under the newer name. OpenAI's current models refuse "max_tokens".

        A limit that the user set is renamed, too.
        """
        names = {LIMIT: NEW_LIMIT}
        return replace(
            self,
            body={names.get(name, name): value for name, value in self.body.items()},
            beyond_openai={names.get(name, name): value for name, value in self.beyond_openai.items()},
        )

    def without(self, names: Collection[str]) -> "Call":
        """Return the call without some of its fields; without "logprobs" the number of them goes, too."""
        gone = {*names, "top_logprobs"} if "logprobs" in names else set(names)
        return replace(
            self,
            body={name: value for name, value in self.body.items() if name not in gone},
            beyond_openai={name: value for name, value in self.beyond_openai.items() if name not in gone},
        )

    def with_fields(self, fields: Mapping[str, Any]) -> "Call":
        """Return the call with further fields, without those that are None (RFC 7396, at the top level)."""
        given = {name: value for name, value in fields.items() if value is not None}
        rest = self.without(fields.keys())
        return replace(rest, beyond_openai=rest.beyond_openai | given)


Send = Callable[[Call], Awaitable[bytes]]


class Transport(Protocol):
    """What answers calls. `session` yields a function from a call to the body of its answer.

    `left_out`: fields that it has refused, so calls are sent without them.
    """

    @property
    def left_out(self) -> frozenset[str]: ...

    def session(self) -> AbstractAsyncContextManager[Send]: ...


def read_fields(text: str) -> dict[str, Any]:
    """Return the fields that a JSON object names, {} for "".

    Raises InputError if the text is no object, or the object sets a field that only this project sets (`OURS`).
    """
    try:
        fields = decode(text.encode("utf-8", "surrogateescape") or b"{}", dict[str, Any])
    except msgspec.DecodeError as error:
        raise InputError(f"--server_fields {shown(text)}: not a JSON object ({error})") from None
    if ours := [name for name in OURS if name in fields]:
        raise InputError(f"--server_fields: {', '.join(ours)} cannot be set")
    return fields


def same_fields(text: str) -> str:
    """Return the object of fields in the one form in which it is compared. Raises ValueError as `read_fields` does."""
    try:
        fields = read_fields(text)
    except InputError as error:
        raise ValueError(str(error)) from None
    return msgspec.json.encode(fields, order="sorted").decode() if fields else ""


def shown(value: object) -> str:
    """Return the beginning of a text as one line, for a message."""
    return " ".join(str(value).split())[:SHOWN]
