"""Answers that follow a JSON schema, with transformers: tokens that the schema does not allow get no probability.

llguidance parses the answer so far and gives the tokens that may come next. White space between JSON tokens is fixed,
so that a small model cannot fill its answer with it.

Limitations: causal models with a fast tokenizer, without beams. A schema limits the shape of an answer, not its length:
a long answer may be cut off.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from llguidance import LLMatcher, LLTokenizer
from llguidance.hf import from_tokenizer
from numpy.typing import NDArray
from transformers import LogitsProcessor

from src.errors import ModelError
from src.llm.protocol import Request


def follows_schema(request: Request) -> bool:
    """Return True if the answer to a request can be held to the request's schema."""
    return bool(request.schema) and not request.choices and (request.num_beams == 1 or request.temperature > 0)


class SchemaMask(LogitsProcessor):
    """Logits processor that keeps each row of a batch to a JSON schema.

    `tokenizer`: tokenizer of `schema_tokenizer`.
    `schemas`: JSON schema of each row, as JSON.
    `start`: index, in each row, of the first token of the answer.
    `ends`: tokens that end an answer.

    Raises ModelError for a schema that llguidance cannot follow.
    """

    def __init__(self, tokenizer: LLTokenizer, schemas: Sequence[str], start: int, ends: Sequence[int]) -> None:
        self._matchers = [LLMatcher(tokenizer, _grammar(schema)) for schema in schemas]
        for matcher in self._matchers:
            if matcher.is_error():
                raise ModelError(f"the answer cannot be held to its JSON schema: {matcher.get_error()}")
        self._start, self._ends = start, list(ends)

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        """Return the scores [rows, vocabulary], with -inf for tokens that are not allowed.

        A row that ended at its limit gets padding, with which its matcher stops.
        """
        if input_ids.shape[1] > self._start:
            for matcher, token in zip(self._matchers, input_ids[:, -1].tolist(), strict=True):
                if not matcher.is_stopped():
                    matcher.consume_token(token)
        allowed = np.stack([self._allowed(matcher, scores.shape[1]) for matcher in self._matchers])
        return scores.masked_fill(~torch.from_numpy(allowed).to(scores.device), -torch.inf)

    def _allowed(self, matcher: LLMatcher, width: int) -> NDArray[np.bool_]:
        """Return which tokens may come next; those that end the answer if it is complete."""
        if matcher.is_stopped():
            allowed = np.zeros(width, dtype=np.bool_)
            allowed[self._ends] = True
            return allowed
        bits = np.unpackbits(np.frombuffer(matcher.compute_bitmask(), dtype=np.uint8), bitorder="little")[:width]
        return np.pad(bits, (0, width - len(bits))).astype(np.bool_)


def _grammar(schema: str) -> str:
    return LLMatcher.grammar_from_json_schema(
        schema, overrides={"item_separator": ", ", "key_separator": ": ", "whitespace_flexible": False}
    )


def schema_tokenizer(tokenizer: Any, width: int, ends: Sequence[int]) -> LLTokenizer:
    """Return the tokenizer of a model as llguidance reads it. It takes about a second.

    `width` is the number of logits of the model, `ends` the tokens that end an answer. Raises ModelError for a slow
    tokenizer.
    """
    try:
        return from_tokenizer(tokenizer, n_vocab=width, eos_token=list(ends))
    except ValueError as error:
        raise ModelError(f"the answer cannot be held to a JSON schema: {error}") from None
