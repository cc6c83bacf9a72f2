"""What programs come to when steps lose their answers."""

import pytest

from src.programs.functions import Answered, Call
from src.programs.interpreter import execute
from src.programs.records import ClaimPrograms, ClaimTrace
from src.programs.submission.evidence_pairs import told_apart
from src.programs.without_steps import value_without
from src.records import Value

AND = 'fact_1 = Verify("It rained.")\nfact_2 = Verify("It snowed.")\nlabel = Predict(fact_1 and fact_2)'
CHAIN = 'answer_1 = Question("Who sang?")\nfact_1 = Verify("{answer_1} danced.")\nlabel = Predict(not fact_1)'


class Said:
    """Facts have the value that is said of them, true where nothing is; questions have the answer Ann."""

    def __init__(self, **values: Value) -> None:
        self.values = values

    def answer(self, calls: list[Call]) -> list[Answered]:
        return [self.one(call) for call in calls]

    def one(self, call: Call) -> Answered:
        if call.function == "Question":
            return Answered("Ann", confidence=1.0)
        named = [value for word, value in self.values.items() if word in call.text]
        return Answered(named[0] if named else Value.TRUE, confidence=1.0)


def trace(*programs: str, **values: Value) -> ClaimTrace:
    (done,) = execute([ClaimPrograms(0, "Ann.", list(programs))], Said(**values))  # type: ignore[arg-type]
    return done.trace


def without(found: ClaimTrace, *places: int) -> Value:
    return value_without(found, [found.programs[0].steps[place] for place in places])


@pytest.mark.parametrize(
    ("values", "places", "value"),
    [
        ({}, (), Value.TRUE),
        ({}, (0,), Value.UNKNOWN),
        ({"rained": Value.FALSE}, (1,), Value.FALSE),
        ({"rained": Value.FALSE}, (0,), Value.UNKNOWN),
        ({"rained": Value.FALSE, "snowed": Value.FALSE}, (0,), Value.FALSE),
        ({"rained": Value.FALSE, "snowed": Value.FALSE}, (0, 1), Value.UNKNOWN),
    ],
)
def test_a_conjunction_without_a_step(values: dict[str, Value], places: tuple[int, ...], value: Value) -> None:
    assert without(trace(AND, **values), *places) is value


def test_what_rests_on_a_lost_answer_is_lost_too() -> None:
    found = trace(CHAIN)
    assert found.value is Value.FALSE
    assert without(found, 0) is Value.UNKNOWN


def test_programs_vote_anew_and_a_step_is_lost_in_all_of_them() -> None:
    found = trace(AND, AND.replace("and fact_2", "or fact_2"), snowed=Value.FALSE, rained=Value.FALSE)
    assert [step.text for step in told_apart(found)] == ["It rained.", "It snowed."]
    assert without(found, 0) is Value.FALSE  # false and unknown, false or unknown: a tie, and false comes first
    assert without(found, 0, 1) is Value.UNKNOWN


def test_without_any_loss_it_is_the_value_of_the_trace() -> None:
    for values in ({}, {"rained": Value.CONFLICTING}, {"snowed": Value.UNKNOWN}):
        found = trace(AND, **values)
        assert value_without(found, []) is found.value
