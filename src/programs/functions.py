"""Interface between the interpreter of programs and the answerers of their steps: calls and answers.

A call is what the interpreter asks of an answerer for one step.
"""

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
    """A call of a step: its function and its text, with all variables filled in."""

    claim_id: int
    function: Function
    text: str


class Answered(msgspec.Struct, frozen=True):
    """The answer to a call.

    `value`: of a Verify one of `Value`, of a Question its answer, or None without one.
    `evidence`: the sentences from which it was answered.
    `confidence`: confidence of the answer, 0 to 1.
    `model_calls`, `prompt_tokens`, `new_tokens`: number of calls to a model and of tokens for this answer.
    `failure`: why a model gave no answer; "" if it gave one.
    `unread`: True if a model wrote a verdict that is neither true nor false.
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
    """Interface of an answerer: it returns one answer for each call, in order. No call occurs twice in one list."""

    def answer(self, calls: Sequence[Call]) -> Sequence[Answered]: ...


def unanswered(
    function: Function, evidence: tuple[StepEvidence, ...] = (), model_calls: int = 0, failure: str = ""
) -> Answered:
    """Return the answer to a call that has none: unknown for a Verify, None for a Question."""
    value = Value.UNKNOWN if function is Function.VERIFY else None
    return Answered(value, evidence, model_calls=model_calls, failure=failure)


def as_value(text: str) -> Value:
    """Return the value that a text states: true for "true" or "yes", false for "false" or "no", unknown otherwise.

    The word must be the whole text, or come first and be followed by a punctuation mark: "No, he is not." is false, "No
    information is given." is unknown. Case does not matter.
    """
    first = _FIRST.match(folded(text))
    return _WORDS.get(first[1], Value.UNKNOWN) if first else Value.UNKNOWN
