"""Answers of an OpenAI-compatible server, limited to the fields that are read; other fields are ignored.

Token counts (`usage`) may be missing or malformed; all other fields that are read must have their documented types.
"""

from typing import Annotated, Generic, TypeVar

import msgspec

from src.llm.protocol import Stopped


class Top(msgspec.Struct, frozen=True):
    token: str
    logprob: float


class ChatToken(msgspec.Struct, frozen=True):
    top_logprobs: list[Top] = []


class ChatLogs(msgspec.Struct, frozen=True):
    content: list[ChatToken] | None = None


class PlainLogs(msgspec.Struct, frozen=True):
    top_logprobs: list[dict[str, float] | None] | None = None


class Message(msgspec.Struct, frozen=True):
    content: str


class Choice(msgspec.Struct, frozen=True):
    """Fields of both forms of a choice. In `finish_reason`, "stop" may also mean the end of the text."""

    logprobs: object = None
    finish_reason: object = None
    stop_reason: object = None

    @property
    def stopped(self) -> Stopped:
        if isinstance(self.stop_reason, str):
            return "stop"
        return "length" if self.finish_reason == "length" else "eos"


class ChatChoice(Choice, frozen=True, kw_only=True):
    message: Message

    @property
    def said(self) -> str:
        return self.message.content

    def likeliest(self) -> dict[str, float]:
        """Return first tokens and their log-probabilities, {} if the server gives none. Raises ValidationError."""
        logs = msgspec.convert(self.logprobs, ChatLogs | None)
        tokens = logs and logs.content
        return {top.token: top.logprob for top in tokens[0].top_logprobs} if tokens else {}


class PlainChoice(Choice, frozen=True, kw_only=True):
    text: str

    @property
    def said(self) -> str:
        return self.text

    def likeliest(self) -> dict[str, float]:
        """Return first tokens and their log-probabilities, {} if the server gives none. Raises ValidationError."""
        logs = msgspec.convert(self.logprobs, PlainLogs | None)
        tokens = logs and logs.top_logprobs
        return dict(tokens[0] or {}) if tokens else {}


C = TypeVar("C", ChatChoice, PlainChoice)


class Usage(msgspec.Struct, frozen=True):
    prompt_tokens: Annotated[int, msgspec.Meta(ge=0)]
    completion_tokens: Annotated[int, msgspec.Meta(ge=0)]


class Answer(msgspec.Struct, Generic[C], frozen=True):
    choices: Annotated[list[C], msgspec.Meta(min_length=1)]
    usage: object = None

    @property
    def first(self) -> C:
        return self.choices[0]

    @property
    def counted(self) -> Usage | None:
        """Return the token counts, or None if the server does not give both."""
        try:
            return msgspec.convert(self.usage, Usage)
        except msgspec.ValidationError:
            return None
