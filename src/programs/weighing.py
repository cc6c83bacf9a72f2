"""Programs that verify the claim as a whole beside its facts, and what these say together.

Such a program names the step `whole`; rules write it, and no demonstration does. Its label is not read as Boolean
logic, since one fact that a model doubts would then decide against the claim. Each step leans by its confidence c:

    true    log(c / (1 - c))
    false   its opposite
    else    0

Of what is joined by `and` the mean counts, of what is joined by `or` the greatest, of what is denied the opposite.
Above 0 the claim is true, below 0 false. A conflict stays one, and a claim of which most steps are unknown is unknown.

Limitations: the steps count alike, whether they say much or little of the claim.
"""

from collections.abc import Mapping
from math import log
from typing import NamedTuple

from src.programs.program import Program, Step
from src.programs.reading.expression import And, Expression, Not, Or, Variable, evaluate
from src.programs.records import Function
from src.programs.whole_claim import plain
from src.records import Value

WHOLE = "whole"  # the variable of the step that verifies the claim as a whole
LEAST, SUREST = 0.55, 0.99  # confidence is held between them, so that a value always leans its way


class Leaning(NamedTuple):
    """A step's value and its confidence, 0 to 1; 0 where none was given: hand-written answers are sure."""

    value: Value
    confidence: float


def with_whole(program: Program, claim: str) -> Program:
    """Return the program with one more step, which verifies the claim as a whole."""
    if program.label is None:
        return program
    line = len(program.steps) + 1
    parts = program.label.parts if isinstance(program.label, And) else (program.label,)
    step = Step(WHOLE, Function.VERIFY, plain(claim), line)
    return Program((*program.steps, step), And((*parts, Variable(WHOLE))), line + 1, program.diagnostics)


def is_weighed(program: Program) -> bool:
    """Return True where one of several steps verifies the claim as a whole."""
    return len(program.steps) > 1 and any(step.variable == WHOLE for step in program.steps)


def weighed(label: Expression, leanings: Mapping[str, Leaning]) -> Value:
    """Return what the steps say together; unknown where most of them are."""
    values = {name: one.value for name, one in leanings.items()}
    if evaluate(label, values) is Value.CONFLICTING:
        return Value.CONFLICTING
    unknown = sum(value is Value.UNKNOWN for value in values.values())
    lean = _lean(label, leanings)
    if 2 * unknown > len(values) or lean == 0:
        return Value.UNKNOWN
    return Value.TRUE if lean > 0 else Value.FALSE


def _lean(tree: Expression, leanings: Mapping[str, Leaning]) -> float:
    match tree:
        case Variable(name):
            return _lean_of(leanings[name]) if name in leanings else 0.0
        case Not(inner):
            return -_lean(inner, leanings)
        case And(parts):
            return sum(_lean(part, leanings) for part in parts) / len(parts)
        case Or(parts):
            return max(_lean(part, leanings) for part in parts)
    raise AssertionError(tree)


def _lean_of(one: Leaning) -> float:
    sure = min(max(one.confidence, LEAST), SUREST) if one.confidence else SUREST
    if one.value is Value.TRUE:
        return log(sure / (1 - sure))
    return -log(sure / (1 - sure)) if one.value is Value.FALSE else 0.0
