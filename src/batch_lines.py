"""Lines of OpenAI's batch interface, as records: requests and their answers.

`src/runner/batch_file.py` writes requests, and `src/llm/openai_batch.py` reads answers.
"""

import msgspec


class Identity(msgspec.Struct, frozen=True):
    """The part of a line that says which request it is or answers."""

    custom_id: str


class RequestLine(Identity, frozen=True):
    """Line of a file of requests."""

    method: str
    url: str
    body: dict[str, object]


class Response(msgspec.Struct, frozen=True):
    status_code: int
    body: msgspec.Raw = msgspec.Raw(b"null")


class AnswerLine(Identity, frozen=True):
    """Line of a file of answers. `error`: what went wrong instead of, or besides, an answer of the server."""

    response: Response | None = None
    error: object = None


class ModelName(msgspec.Struct, frozen=True):
    """The part of a response's body that says which model gave it."""

    model: str | None = None
