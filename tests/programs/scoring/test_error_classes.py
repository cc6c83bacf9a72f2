"""Classes of errors by rule, one case for each rule and for what is none of them."""

from collections.abc import Sequence

import pytest

from src.programs.records import ClaimTrace, Diagnostic, DiagnosticKind, StepTrace
from src.programs.scoring.error_classes import ErrorClass, conduct, error_class, only_verifies_whole
from tests.programs.answers import C, F, T, U
from tests.programs.scoring.traces import gold, questioned, traced, verified

CLAIM = "The river that flows through Lund ends in the Black Sea."


def good() -> list[StepTrace]:
    return [questioned("Which river flows through Lund?", "Hoje"), verified("Hoje ends in the Black Sea.", F, uses=[0])]


def classed(*steps: StepTrace, label: str | None = "fact_1", kinds: Sequence[str] = (), hops: int | None = 2) -> str:
    assigned = error_class(
        gold(0, T, hops=hops, claim=CLAIM), traced(0, F, *steps, label=label, kinds=kinds, claim=CLAIM)
    )
    assert assigned is not None
    return assigned.value


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        (["missing-predict"], "syntax"),
        (["limit-exceeded", "undefined-variable"], "syntax"),
        (["undefined-variable"], "token"),
        (["fact-in-text"], "token"),
        (["answer-used-as-fact"], "token"),
        (["unsupported-expression"], "token"),
        (["unresolved-variable"], "token"),
        (["function-case", "ignored-line", "renamed-duplicate"], "execution"),
    ],
)
def test_diagnostics_come_first(kinds: list[str], expected: str) -> None:
    assert classed(*good(), kinds=kinds) == expected


def test_a_question_without_an_answer_is_no_fault_of_the_program() -> None:
    steps = [questioned("Which river?", None), verified("{answer_1} ends in the Black Sea.", U, uses=[0])]
    trace = traced(0, F, *steps, claim=CLAIM)
    trace.programs[0].diagnostics.append(Diagnostic(DiagnosticKind.UNRESOLVED_VARIABLE, 2, "answer_1 has no answer"))
    assert error_class(gold(0, T, hops=2, claim=CLAIM), trace) is ErrorClass.EXECUTION


def test_structure() -> None:
    assert classed(verified("the river that flows through Lund ends in the black sea", F)) == "structure"
    assert classed(*good(), hops=4) == "structure"  # two steps for four pages
    parts = [verified("The river flows through Lund.", T), verified("The river ends in the Black Sea", F)]
    assert classed(*parts) == "structure"
    assert classed(*parts, hops=None) == "subtask"  # FEVEROUS-S is cut into clauses; the first is not in the label
    assert classed(verified(CLAIM, F), hops=None) == "execution"


def test_a_step_that_nothing_uses() -> None:
    idle = questioned("Where is Lund?", "Sweden")
    idle.variable = "answer_2"
    assert classed(good()[0], idle, good()[1]) == "subtask"
    assert classed(*good()) == "execution"


def test_the_program_that_voted_is_judged() -> None:
    trace = traced(0, T, *good(), kinds=["missing-predict"], claim=CLAIM)
    trace.programs += traced(0, F, *good(), claim=CLAIM).programs
    trace.value = F
    assert error_class(gold(0, T, hops=2, claim=CLAIM), trace) is ErrorClass.EXECUTION
    assert error_class(gold(0, T, hops=2), ClaimTrace(0, CLAIM, U, 0.0, 0, [])) is None


def test_conduct() -> None:
    claims = [gold(0, T, hops=2), gold(1, F, hops=2), gold(2, T, hops=3), gold(3, F, hops=3)]
    traces = [traced(0, F, *good()), traced(1, F), traced(2, U, kinds=["parse-error"]), traced(3, C)]
    result = conduct(claims, traces)
    assert result.confusion == {
        T: {"supports": 0, "refutes": 0}, F: {"supports": 1, "refutes": 1},
        U: {"supports": 1, "refutes": 0}, C: {"supports": 0, "refutes": 1},
    }  # fmt: skip
    assert (result.programs, result.unknown_programs, result.model_calls) == (4, 0.25, 2.0)
    assert result.errors is not None
    assert {name: one.wrong for name, one in result.errors.items()} == {"2 hops": 1, "3 hops": 1, "all": 2}
    assert result.errors["all"].classes == dict.fromkeys(ErrorClass, 0) | {
        ErrorClass.EXECUTION: 1, ErrorClass.SYNTAX: 1,
    }  # fmt: skip
    failed = ClaimTrace(3, "Claim 3.", U, 0.0, 0, [])
    assert conduct(claims[1::2], [traces[1], failed]).errors is None


def test_a_claim_verified_as_a_whole_is_no_program() -> None:
    assert only_verifies_whole(traced(0, T))
    assert not only_verifies_whole(traced(0, T, *good()))
