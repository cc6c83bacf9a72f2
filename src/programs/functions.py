"""Interface between the interpreter and the answerers: calls and their answers."""

import re
from collections.abc import Sequence
from typing import Protocol, TypeAlias

import msgspec

from src.programs.records import Function, StepEvidence
from src.records import Value
from src.text import folded

StepValue: TypeAlias = Value | str | None  # Value for Verify; an answer or None for Question

_WORDS = {"true": Value.TRUE, "yes": Value.TRUE, "false": Value.FALSE, "no": Value.FALSE}
_FIRST = re.compile(r"\W*(\w+)\W*(?:$|(?<=[^\w\s]))")  # alone, or before punctuation


class Call(msgspec.Struct, frozen=True):
    """A step's function and its text, with all variables filled in."""

    claim_id: int
    function: Function
    text: str


class Answered(msgspec.Struct, frozen=True):
    """The answer to a call, with its evidence and its cost.

    `confidence` is 0 to 1. `model_calls`, `prompt_tokens` and `new_tokens` are the cost of this answer. `failure` is
    the reason why a model gave no answer. `unread` is True if the model's text is neither true nor false.
    """

    value: StepValue
    evidence: tuple[StepEvidence, ...] = ()
    confidence: float = 0.0
    model_calls: int = 0
    prompt_tokens: int = 0
    new_tokens: int = 0
    failure: str = ""
    unread: bool = False


class Answering(Protocol):
    """An answerer: returns one answer for each call, in order. No call occurs twice in one list."""

    def answer(self, calls: Sequence[Call]) -> Sequence[Answered]: ...


def unanswered(
    function: Function, evidence: tuple[StepEvidence, ...] = (), model_calls: int = 0, failure: str = ""
) -> Answered:
    value = Value.UNKNOWN if function is Function.VERIFY else None
    return Answered(value, evidence, model_calls=model_calls, failure=failure)


def as_value(text: str) -> Value:
    """Return true for "true" or "yes", false for "false" or "no", and unknown otherwise.

    The word must be the whole text, or be followed by a punctuation mark: "No, he is not." is false, "No information is
    given." is unknown. Case does not matter.
    """
    first = _FIRST.match(folded(text))
    return _WORDS.get(first[1], Value.UNKNOWN) if first else Value.UNKNOWN
