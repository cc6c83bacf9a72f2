"""What a claim's programs would come to without an answer to some of their steps: nothing is asked anew."""

from collections.abc import Sequence

from src.programs.functions import as_value
from src.programs.reading.expression import evaluate, parse
from src.programs.reading.resolution import operands_of
from src.programs.records import ClaimTrace, Function, ProgramTrace, StepTrace
from src.programs.submission.evidence_pairs import alike
from src.programs.votes import Ballot, vote
from src.records import Value


def value_without(trace: ClaimTrace, steps: Sequence[StepTrace]) -> Value:
    """The vote where these steps, those alike and those that rest on their answers are unknown."""
    return vote([_ballot(program, steps) for program in trace.programs])[0]


def _ballot(program: ProgramTrace, steps: Sequence[StepTrace]) -> Ballot:
    gone = _gone(program, steps)
    known = [step for place, step in enumerate(program.steps) if place not in gone]
    return Ballot(_value(program, gone), sum(step.confidence for step in known))


def _gone(program: ProgramTrace, steps: Sequence[StepTrace]) -> set[int]:
    """The places of these steps and of all that rest on them."""
    gone = {place for place, step in enumerate(program.steps) if any(alike(step, one) for one in steps)}
    while more := {place for place, step in enumerate(program.steps) if gone & set(step.uses)} - gone:
        gone |= more
    return gone


def _value(program: ProgramTrace, gone: set[int]) -> Value:
    if program.label is None:
        return Value.UNKNOWN
    meant = operands_of(program).items()
    known = {name: _of_step(program.steps[place]) for name, place in meant if place is not None and place not in gone}
    return evaluate(parse(program.label), known)


def _of_step(step: StepTrace) -> Value:
    said = step.value or ""
    return Value(said) if step.function is Function.VERIFY else as_value(said)
