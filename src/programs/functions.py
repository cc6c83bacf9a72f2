"""What a step asks, and what it gets: the seam between the interpreter and whatever answers."""

from collections.abc import Sequence
from typing import Protocol, TypeAlias

import msgspec

from src.programs.program import Function
from src.records import StepEvidence, Value
from src.text import folded

StepValue: TypeAlias = Value | str | None  # Verify has a Value, Question an answer or None

_SAID = {"true": Value.TRUE, "yes": Value.TRUE, "false": Value.FALSE, "no": Value.FALSE}


class Call(msgspec.Struct, frozen=True):
    """A step's function and its text, with all variables filled in."""

    claim_id: int
    function: Function
    text: str


class Answered(msgspec.Struct, frozen=True):
    """`confidence` is between 0 and 1; `model_calls` is what this answer cost."""

    value: StepValue
    evidence: tuple[StepEvidence, ...] = ()
    confidence: float = 0.0
    model_calls: int = 0


class Answering(Protocol):
    """Answers calls in order; never the same one twice in a list."""

    def answer(self, calls: Sequence[Call]) -> Sequence[Answered]: ...


def unanswered(function: Function) -> Answered:
    return Answered(Value.UNKNOWN if function is Function.VERIFY else None)


def as_value(text: str) -> Value:
    """What a text says by its first word, yes and no among them; unknown where it says neither."""
    first = folded(text).partition(" ")[0].strip(".,;:!\"'*")
    return _SAID.get(first, Value.UNKNOWN)
