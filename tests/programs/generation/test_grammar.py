"""The programs' grammar: it lets models write what is shown to them, and nothing that has to be mended in form."""

import re

import pytest
from hypothesis import given
from hypothesis.strategies import characters, integers, lists, sampled_from, text, tuples

from src.programs.generation import GRAMMAR, SHIPPED, as_code, read_demonstrations
from src.programs.parsing.expression import canonical
from src.programs.parsing.reader import read_program
from src.programs.records import DiagnosticKind
from tests.programs.generation.gbnf import as_regex

PATTERN = re.compile(as_regex(GRAMMAR, depth=2))
GOOD = '    answer_1 = Question("Who built it?")\n    fact_1 = Verify("{answer_1} was Danish.")\n'
OF_VARIABLES = {DiagnosticKind(kind) for kind in (
    "undefined-variable", "unresolved-variable", "fact-in-text", "forward-reference", "answer-used-as-fact",
    "duplicate-variable", "renamed-duplicate",
)}  # fmt: skip


@pytest.mark.parametrize("name", SHIPPED)
def test_a_model_may_write_what_it_is_shown(name: str) -> None:
    for shown in read_demonstrations(SHIPPED[name]):
        code = as_code(canonical(shown.program))
        for written in (code, f"```python\n{code}\n```", code.removeprefix("def program():"), canonical(shown.program)):
            assert PATTERN.fullmatch(written), written


@pytest.mark.parametrize(
    "label",
    ["fact_1", "not fact_1", "fact_1 and not (fact_2 or answer_1) and fact_12", "(fact_1 or (fact_2 and fact_3))"],
)
def test_labels(label: str) -> None:
    assert PATTERN.fullmatch(f"{GOOD}    label = Predict({label})")


@pytest.mark.parametrize(
    "written",
    [
        "Here is the program:\n    label = Predict(fact_1)",
        "    label = Predict(fact_1)",
        f"{GOOD}    label = Predict(fact_1)\n    return label",
        f"{GOOD}    label = Predict(fact_1 == answer_1)",
        f"{GOOD}    label = Predict((fact_1)",
        f"{GOOD}    label = Predict(True)",
        GOOD,
        f"{GOOD * 7}    label = Predict(fact_1)",
        '    fact_1 = Verify("a {b}")\n    label = Predict(fact_1)',
        '    fact_1 = Verify("a "b" c")\n    label = Predict(fact_1)',
        '    fact_1 = Verify(f"a")\n    label = Predict(fact_1)',
        '    fact_1 = Verify("")\n    label = Predict(fact_1)',
        '    for answer_1 in Question("Who?"):\n    label = Predict(answer_1)',
    ],
)
def test_nothing_else_may_be_written(written: str) -> None:
    assert not PATTERN.fullmatch(written)


NUMBER = integers(1, 13)
SAID = text(characters(codec="utf-8", exclude_characters='"\\{}\n\r'), min_size=1, max_size=30)


@given(lists(tuples(sampled_from(["answer_{} = Question", "fact_{} = Verify"]), NUMBER, SAID), min_size=1, max_size=12))
def test_what_may_be_written_is_read_as_it_stands(steps: list[tuple[str, int, str]]) -> None:
    lines = [f'    {call.format(number)}("{said}{{answer_{number}}}")\n' for call, number, said in steps]
    written = "".join([*lines, "    label = Predict(fact_1)"])
    assert PATTERN.fullmatch(written)
    program = read_program(written)
    assert (len(program.steps), program.label is not None) == (len(steps), True)
    assert {one.kind for one in program.diagnostics} <= OF_VARIABLES
