"""Recorded answers: a file that answers steps without a model, and in which a person can change an answer.

Lines are `{"function": "Verify"|"Question", "text": ..., "value": ...}`. A step has the value of the last line with its
function and its text, after variables are filled in. White space is collapsed, and a final period is ignored. The value
of a Verify is true, false, "conflicting" or null (unknown); that of a Question is a text or null (no answer).
"""

from pathlib import Path

import msgspec

from src.errors import InputError
from src.programs.functions import Answered, Call, StepValue
from src.programs.records import Function
from src.records import Value
from src.runner.console import how_many
from src.store import located, read_bytes

_VALUES: dict[bool | str | None, Value] = {
    True: Value.TRUE,
    False: Value.FALSE,
    None: Value.UNKNOWN,
    "conflicting": Value.CONFLICTING,
}


class Recorded(msgspec.Struct, frozen=True):
    """A line of the file."""

    function: Function
    text: str
    value: bool | str | None


class RecordedAnswers:
    """The answers in a file; they are the same for all claims."""

    def __init__(self, path: Path) -> None:
        """Read the file. Raises InputError (file, line, field) when a line cannot be read."""
        lines = located(read_bytes(path), Recorded, path)
        self._values = {key(one.function, one.text): _value(one, path, line) for line, one in lines}

    def notes(self) -> list[str]:
        """Return a note on the number of null answers, which a person may have forgotten to fill in."""
        open_ = sum(value in (None, Value.UNKNOWN) for value in self._values.values())
        answers = f"{open_} of {how_many(len(self._values), 'recorded answer')}"
        return [f"{answers} null: unknown, or a question without an answer"] if open_ else []

    def known(self, call: Call) -> Answered | None:
        found = key(call.function, call.text)
        return Answered(self._values[found]) if found in self._values else None


def key(function: Function, text: str) -> tuple[Function, str]:
    """Return the key of a call: calls with the same key share an answer."""
    return function, " ".join(text.split()).removesuffix(".").rstrip()


def _value(recorded: Recorded, path: Path, line: int) -> StepValue:
    value = recorded.value
    if recorded.function is Function.VERIFY:
        if value not in _VALUES:
            message = f'{value!r} is none of true, false, null, "conflicting"'
            raise InputError(message, path=path, line=line, field="value")
        return _VALUES[value]
    if isinstance(value, bool):
        raise InputError("the answer to a Question is a text or null", path=path, line=line, field="value")
    return value
