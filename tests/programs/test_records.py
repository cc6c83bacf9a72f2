"""Traces in files: a step that is none is told with its place."""

from pathlib import Path

import pytest

from src.errors import InputError
from src.programs.program_files import read_traces
from src.store import encode_lines
from tests.programs.answers import T, ran

PROGRAM = 'answer_1 = Question("Who?")\nfact_1 = Verify("{answer_1} sings.")\nlabel = Predict(fact_1)'


@pytest.mark.parametrize(
    ("was", "now", "message"),
    [
        ('"Verify"', '"Bad"', r"programs\[0\].steps\[1\].function: 'Bad' is none of Question, Verify"),
        ('"Question"', '"Verify"', r"programs\[0\].steps\[0\]: 'Ann' is none of the values of a Verify: true, false"),
        ('"true"', "null", r"programs\[0\].steps\[1\]: None is none of the values"),
    ],
)
def test_a_step_that_is_none_is_named(was: str, now: str, message: str, tmp_path: Path) -> None:
    trace, _ = ran(PROGRAM, answers={"Who?": "Ann"}, **{"Ann sings": T})
    before, steps, after = encode_lines([trace]).decode().rpartition('"steps"')
    (tmp_path / "t.json").write_text(f"\n{before}{steps}{after.replace(was, now, 1)}")
    with pytest.raises(InputError, match=f"t.json, line 2, field {message}"):
        read_traces(tmp_path / "t.json")
