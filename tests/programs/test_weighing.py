"""Programs that verify the claim as a whole beside its facts: what their steps say together."""

import pytest

from src.programs.program import canonical
from src.programs.reading.expression import parse
from src.programs.reading.reader import read_program
from src.programs.records import ClaimPrograms
from src.programs.weighing import WHOLE, Leaning, is_weighed, weighed, with_whole
from src.records import Value
from tests.programs.answers import C, F, T, Tables, U, traced

TWO = read_program('fact_1 = Verify("A.")\nfact_2 = Verify("B.")\nlabel = Predict(fact_1 and fact_2)')


@pytest.mark.parametrize(
    ("label", "steps", "expected"),
    [
        ("a and b and whole", {"a": (T, 0.9), "b": (T, 0.9), "whole": (F, 0.6)}, T),
        ("a and b and whole", {"a": (T, 0.6), "b": (F, 0.9), "whole": (F, 0.6)}, F),
        ("a and b and whole", {"a": (T, 0.6), "b": (F, 0.8), "whole": (T, 0.55)}, T),
        ("a and b and whole", {"a": (T, 0.6), "b": (T, 0.6), "whole": (F, 0.9)}, F),  # stands for two
        ("a and b and whole", {"a": (F, 0.55), "b": (F, 0.55), "whole": (F, 0.55)}, F),
        ("a and b and whole", {"a": (T, 0.4), "b": (T, 0.4), "whole": (T, 0.4)}, T),
        ("a and b and whole", {"a": (T, 0.9), "b": (U, 0.0), "whole": (U, 0.0)}, U),
        ("a and b and whole", {"a": (T, 0.9), "b": (T, 0.9), "whole": (U, 0.0)}, T),
        ("a and b and whole", {"a": (T, 0.9), "b": (T, 0.9), "whole": (C, 0.5)}, C),
        ("a and whole", {"a": (F, 0.0), "whole": (T, 0.6)}, F),  # written by hand: sure
        ("(a or b) and whole", {"a": (F, 0.9), "b": (T, 0.9), "whole": (F, 0.6)}, T),
        ("not a and whole", {"a": (F, 0.9), "whole": (F, 0.6)}, T),
    ],
)
def test_what_steps_say_together(label: str, steps: dict[str, tuple[Value, float]], expected: Value) -> None:
    assert weighed(parse(label), {name: Leaning(*one) for name, one in steps.items()}) is expected


def test_a_program_with_one_more_step_for_the_whole_claim() -> None:
    program = with_whole(TWO, 'He said "A and B".')
    assert canonical(program) == (
        'fact_1 = Verify("A.")\nfact_2 = Verify("B.")\nwhole = Verify("He said \'A and B\'.")\n'
        "label = Predict(fact_1 and fact_2 and whole)\n"
    )
    assert is_weighed(program)
    assert not is_weighed(TWO)


def test_a_doubted_fact_does_not_decide_alone_and_the_trace_names_those_that_do() -> None:
    text = canonical(with_whole(TWO, "A and B."))
    (trace,) = traced([ClaimPrograms(0, "A and B.", [text])], Tables({"A": T, "A and B": T, "B": F}, {}))
    assert trace.value is T
    assert [step.variable for step in trace.programs[0].steps if step.decisive] == ["fact_1", WHOLE]


def test_without_that_step_the_label_is_boolean() -> None:
    (trace,) = traced([ClaimPrograms(0, "A and B.", [canonical(TWO)])], Tables({"A": T, "B": F}, {}))
    assert trace.value is F
