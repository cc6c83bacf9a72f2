"""Construction of replies, and batches in which some requests may fail.

Every engine cuts an answer at its first stop string (`text_reply`). An engine refuses a prompt that fills the context,
and shortens an answer for which too little room is left. `with_room` does not send requests that lack room.
"""

from collections.abc import Sequence

from src.errors import ModelError
from src.llm.protocol import ChoiceMethod, LanguageModel, PartialError, Reply, Request, Stopped


def first_stop(text: str, stop: Sequence[str]) -> int:
    """Return the character offset of the earliest stop string in `text`, or -1 if none occurs."""
    positions = [position for position in map(text.find, filter(None, stop)) if position >= 0]
    return min(positions, default=-1)


def text_reply(request: Request, text: str, prompt_tokens: int, new_tokens: int, stopped: Stopped) -> Reply:
    """Return the reply for a generated text, cut at `request.reading` and at the first stop string.

    A text of white space only becomes "".
    """
    if request.reading is not None:
        text = request.reading.of(text)
    position = first_stop(text, request.stop)
    if position >= 0:
        text, stopped = text[:position], "stop"
    if not text.strip():
        text, stopped = "", "empty"
    return Reply(text, prompt_tokens, new_tokens, stopped)


def choice_reply(
    request: Request, scores: Sequence[float], method: ChoiceMethod, prompt_tokens: int, new_tokens: int = 0
) -> Reply:
    """Return the reply for scored choices. Its text is the choice with the best score, or the first of equal ones."""
    best = max(range(len(scores)), key=lambda index: (scores[index], -index))
    return Reply(request.choices[best], prompt_tokens, new_tokens, "choices", tuple(scores), method)


def each_reply(model: LanguageModel, requests: Sequence[Request]) -> list[Reply | ModelError]:
    """Return the reply or error of each request, in order. Raises FatalError.

    If the model does not report which request failed, each request is sent again alone.
    """
    try:
        return [*model.complete(requests)]
    except PartialError as error:
        return [*error.replies]
    except ModelError as error:
        return (
            [error] if len(requests) == 1 else [reply for request in requests for reply in each_reply(model, [request])]
        )


TEMPLATE = 64  # tokens that a chat template may add


class NoRoomError(ModelError):
    """Error of a request that was not sent: prompt and answer exceed the context."""


def with_room(model: LanguageModel, requests: Sequence[Request]) -> list[Reply | ModelError]:
    """Return the reply or error of each request, in order. Raises FatalError.

    A request whose prompt and answer exceed the context is not sent; its error is a NoRoomError.
    """
    missing = [_missing(model, request) for request in requests]
    fitting = [request for request, error in zip(requests, missing, strict=True) if error is None]
    replies = iter(each_reply(model, fitting) if fitting else [])
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
        f"{prompt + request.max_new_tokens} for prompt and answer; take a model with more, or give it less to read"
    )
