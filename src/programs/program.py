"""Parsed programs as they are executed, and their canonical text.

program   = { statement NEWLINE } label ;
statement = variable "=" ( "Question" | "Verify" ) "(" string ")" ;
label     = "label" "=" "Predict" "(" expr ")" ;
"""

import msgspec

from src.programs.parsing.expression import Expression, written
from src.programs.records import Diagnostic, Function


class Step(msgspec.Struct, frozen=True):
    """One call. `variable` is None if the value is not assigned; `line` counts from 1 in the text received."""

    variable: str | None
    function: Function
    text: str
    line: int


class Program(msgspec.Struct, frozen=True):
    """A parsed program. If `label` is None, no label could be read: the value is unknown, and a diagnostic says why."""

    steps: tuple[Step, ...]
    label: Expression | None
    label_line: int
    diagnostics: tuple[Diagnostic, ...]


def canonical(program: Program) -> str:
    """Return the text that parses to this program without repairs."""
    lines = [_call(step) for step in program.steps]
    if program.label is not None:
        lines.append(f"label = Predict({written(program.label)})")
    return "".join(f"{line}\n" for line in lines)


def _call(step: Step) -> str:
    call = f'{step.function}("{step.text}")'
    return f"{step.variable} = {call}" if step.variable else call
