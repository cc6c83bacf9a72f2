"""Replies to requests that fit into the model's context; the others fail, each with the number of tokens missing.

Engines refuse a prompt that alone fills the context, and otherwise shorten the answer. Nothing is shortened here.
"""

from collections.abc import Sequence

from src.errors import ModelError
from src.llm.each_reply import each_reply
from src.llm.protocol import LanguageModel, Reply, Request

TEMPLATE = 64  # tokens that a chat template may add


class NoRoomError(ModelError):
    """Error of a request that was not sent: prompt and answer exceed the context."""


def with_room(model: LanguageModel, requests: Sequence[Request]) -> list[Reply | ModelError]:
    """Return a reply or an error for each request, in order: NoRoomError if it was not sent. Raises FatalError."""
    missing = [_missing(model, one) for one in requests]
    asked = [one for one, error in zip(requests, missing, strict=True) if error is None]
    replies = iter(each_reply(model, asked) if asked else [])
    return [next(replies) if error is None else error for error in missing]


def _missing(model: LanguageModel, request: Request) -> NoRoomError | None:
    """Return an error if prompt and answer exceed the context, else None. An unknown context always has room."""
    context = model.info.context
    if context is None:
        return None
    prompt = sum(model.count_tokens([request.system, request.prompt])) + TEMPLATE
    if prompt + request.max_new_tokens <= context:
        return None
    return NoRoomError(
        f"{model.info.spec} has not enough context: {context} tokens, where {request.role} needs about "
        f"{prompt + request.max_new_tokens} for prompt and answer; take a model with more, or fewer --source_words"
    )
