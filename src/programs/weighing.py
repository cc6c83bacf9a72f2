"""Programs that verify the claim as a whole beside its facts, and what these say together.

Such a program names the step `whole`; rules write it where they ask a question, and no demonstration does. Its label is
not read as Boolean logic, since one wrong answer would then decide against the claim. Each step leans by its confidence
c:

    true    log(c / (1 - c))
    false   its opposite
    else    0

Of what is joined by `and` the mean counts, in which the whole claim stands for two facts; of what is joined by `or` the
greatest, of what is denied the opposite. From -DOUBT on the claim is true, since models doubt true claims of many facts
more often than they believe false ones. Steps that all have one value are not weighed; a conflict stays one, and a
claim of which most steps are unknown is unknown. Both numbers were fitted on HOVER's claims for tuning, of three and
four hops, with an entailment model.

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
FACTS, DOUBT = 2, 0.4  # facts that the whole claim stands for; how far a true claim may lean the wrong way
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
    known = [value for value in values.values() if value is not Value.UNKNOWN]
    if 2 * len(known) < len(values):
        return Value.UNKNOWN
    if len(set(known)) == 1 and _is_plain(label):
        return known[0]
    return Value.TRUE if _lean(label, leanings) >= -DOUBT else Value.FALSE


def _is_plain(label: Expression) -> bool:
    """Return True where all facts have to hold."""
    return isinstance(label, And) and all(isinstance(part, Variable) for part in label.parts)


def _lean(tree: Expression, leanings: Mapping[str, Leaning]) -> float:
    match tree:
        case Variable(name):
            return _lean_of(leanings[name]) if name in leanings else 0.0
        case Not(inner):
            return -_lean(inner, leanings)
        case And(parts):
            shares = [FACTS if part == Variable(WHOLE) else 1 for part in parts]
            return sum(share * _lean(part, leanings) for share, part in zip(shares, parts, strict=True)) / sum(shares)
        case Or(parts):
            return max(_lean(part, leanings) for part in parts)
    raise AssertionError(tree)


def _lean_of(one: Leaning) -> float:
    sure = min(max(one.confidence, LEAST), SUREST) if one.confidence else SUREST
    if one.value is Value.TRUE:
        return log(sure / (1 - sure))
    return -log(sure / (1 - sure)) if one.value is Value.FALSE else 0.0
