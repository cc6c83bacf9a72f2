"""Stands in for whatever answers: tables of facts and answers, and a list of the calls received."""

from collections.abc import Mapping, Sequence

from src.programs.functions import Answered, Answering, Call
from src.programs.interpreter import execute
from src.programs.records import ClaimPrograms, ClaimTrace, Function, ProgramTrace
from src.records import Value

T, F, U, C = Value.TRUE, Value.FALSE, Value.UNKNOWN, Value.CONFLICTING


class Tables:
    """A final period does not count; a fact that is not there is unknown."""

    def __init__(self, facts: Mapping[str, Value], answers: Mapping[str, str | None]) -> None:
        self.facts, self.answers = facts, answers
        self.calls: list[Call] = []

    def answer(self, calls: Sequence[Call]) -> list[Answered]:
        self.calls += calls
        return [self._one(call) for call in calls]

    def _one(self, call: Call) -> Answered:
        if call.function is Function.QUESTION:
            return Answered(self.answers.get(call.text), model_calls=1)
        return Answered(self.facts.get(call.text.removesuffix("."), U), model_calls=1)

    @property
    def texts(self) -> list[str]:
        return [call.text for call in self.calls]


def ran(
    *programs: str, answers: Mapping[str, str | None] | None = None, **facts: Value
) -> tuple[ClaimTrace, list[str]]:
    """The trace of a claim with these programs, and the texts of the calls. `A=T`: the text `A` is true."""
    tables = Tables(facts, answers or {})
    (done,) = execute([ClaimPrograms(0, "A claim.", list(programs))], tables)
    return done.trace, tables.texts


def traced(claims: Sequence[ClaimPrograms], answering: Answering) -> list[ClaimTrace]:
    return [done.trace for done in execute(claims, answering)]


def value(program: str, answers: Mapping[str, str | None] | None = None, **facts: Value) -> Value:
    return ran(program, answers=answers, **facts)[0].value


def kinds(trace: ClaimTrace) -> list[tuple[str, int]]:
    """Kind and line of the first program's diagnostics."""
    first: ProgramTrace = trace.programs[0]
    return [(one.kind.value, one.line) for one in first.diagnostics]
