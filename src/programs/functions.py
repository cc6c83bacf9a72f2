"""What a step asks, and what it gets: the seam between the interpreter and whatever answers."""

import re
from collections.abc import Sequence
from typing import Protocol, TypeAlias

import msgspec

from src.programs.records import Function, StepEvidence
from src.records import Value
from src.text import folded

StepValue: TypeAlias = Value | str | None  # Verify has a Value, Question an answer or None

_SAID = {"true": Value.TRUE, "yes": Value.TRUE, "false": Value.FALSE, "no": Value.FALSE}
_FIRST = re.compile(r"\W*(\w+)\W*(?:$|(?<=[^\w\s]))")  # alone, or before punctuation


class Call(msgspec.Struct, frozen=True):
    """A step's function and its text, with all variables filled in."""

    claim_id: int
    function: Function
    text: str


class Answered(msgspec.Struct, frozen=True):
    """`confidence` is between 0 and 1. `model_calls`, `prompt_tokens` and `new_tokens` are what this answer cost;
    `failure` says why a model gave none; `unread` that what it wrote is neither true nor false."""

    value: StepValue
    evidence: tuple[StepEvidence, ...] = ()
    confidence: float = 0.0
    model_calls: int = 0
    prompt_tokens: int = 0
    new_tokens: int = 0
    failure: str = ""
    unread: bool = False


class Answering(Protocol):
    """Answers calls in order; never the same one twice in a list."""

    def answer(self, calls: Sequence[Call]) -> Sequence[Answered]: ...


def unanswered(
    function: Function, evidence: tuple[StepEvidence, ...] = (), model_calls: int = 0, failure: str = ""
) -> Answered:
    value = Value.UNKNOWN if function is Function.VERIFY else None
    return Answered(value, evidence, model_calls=model_calls, failure=failure)


def as_value(text: str) -> Value:
    """True, yes, false or no, where a text is that word alone or begins with it and a punctuation mark; else unknown.

    So "No, he is not." is false, "No information is given." is unknown.
    """
    first = _FIRST.match(folded(text))
    return _SAID.get(first[1], Value.UNKNOWN) if first else Value.UNKNOWN
