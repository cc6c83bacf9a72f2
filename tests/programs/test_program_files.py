"""Files of programs and traces: each is told from the other, and errors name their place."""

import json
from pathlib import Path

import pytest

from src.errors import InputError
from src.programs.program_files import read_programs, read_traces
from src.store import encode_lines
from tests.programs.answers import T, ran

PROGRAMS = {"claim_id": 0, "claim": "Eels fly.", "programs": ["label = Predict(fact_1)"]}
TRACE = {
    "claim_id": 0, "claim": "Eels fly.", "value": "true", "vote_share": 1.0, "model_calls": 0,
    "programs": [{"value": "true", "steps": [], "diagnostics": []}],
}  # fmt: skip


def written(folder: Path, *lines: object) -> Path:
    (folder / "f.json").write_text("\n".join(map(json.dumps, lines)))
    return folder / "f.json"


def test_programs_and_traces_are_distinguished(tmp_path: Path) -> None:
    assert len(read_traces(written(tmp_path, TRACE))) == 1
    with pytest.raises(InputError, match=r"programs are read here, as src\.programs\.generate_programs writes them"):
        read_programs(written(tmp_path, TRACE))
    assert len(read_programs(written(tmp_path, PROGRAMS))) == 1
    for other in (PROGRAMS, {"claim": "Eels fly."}):
        with pytest.raises(
            InputError, match=r"line 1, .*a trace is read here, as src\.programs\.execute_programs writes"
        ):
            read_traces(written(tmp_path, other))


def test_a_claim_that_stands_twice_is_no_other_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"claim_id 0 is already on line 1$"):
        read_traces(written(tmp_path, TRACE, TRACE))


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
