"""Requests as rows of a batch: a prompt's tokens, and the most tokens that its answer may have."""

from collections.abc import Sequence
from typing import NamedTuple

from src.errors import ModelError
from src.llm.protocol import ModelInfo, Request


class Row(NamedTuple):
    """A request with its prompt as token ids and the maximum number of tokens of its answer."""

    request: Request
    tokens: list[int]
    limit: int

    @property
    def cost(self) -> int:
        """Return the number of tokens that this row takes in a batch, with all its beams or choices.

        If only the beginning of the answer is read (`reading`), the limit counts up to its number of characters only,
        because few answers are longer.
        """
        reading = self.request.reading
        limit = self.limit if reading is None else min(self.limit, reading.characters)
        return (len(self.tokens) + limit) * max(1, self.request.num_beams, len(self.request.choices))


def beams_of(request: Request) -> int:
    """Return the number of beams of a request: 1 if it samples, else `num_beams`."""
    return 1 if request.temperature > 0 else request.num_beams


def row_of(info: ModelInfo, request: Request, tokens: Sequence[int], pad: int, longest_choice: int = 0) -> Row:
    """Return a request's row; its answer is limited to the room in `max_length` and the context.

    `longest_choice` is the number of tokens of the longest choice, if there are choices. An empty prompt becomes `pad`.
    Raises ModelError when there is no room for an answer.
    """
    used, context = len(tokens), info.context
    limit = request.max_new_tokens if request.max_length is None else request.max_length - used
    if request.choices:
        limit = longest_choice
    if context is not None and used + (0 if info.seq2seq else limit if request.choices else 1) > context:
        raise ModelError(f"{info.spec}: the prompt has {used} tokens, the context is {context}")
    if limit < 1:
        raise ModelError(f"{info.spec}: the prompt has {used} tokens, max_length is {request.max_length}")
    if context is not None:
        limit = min(limit, context if info.seq2seq else context - used)
    return Row(request, list(tokens) or [pad], limit)
