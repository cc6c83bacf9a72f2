"""A file that is no trace is refused with what is wanted."""

import json
from pathlib import Path

import pytest

from src.errors import InputError
from src.programs.program_files import read_programs, read_traces

PROGRAMS = {"claim_id": 0, "claim": "Eels fly.", "programs": ["label = Predict(fact_1)"]}
TRACE = {
    "claim_id": 0, "claim": "Eels fly.", "value": "true", "vote_share": 1.0, "model_calls": 0,
    "programs": [{"value": "true", "steps": [], "diagnostics": []}],
}  # fmt: skip


def written(folder: Path, *lines: object) -> Path:
    (folder / "f.json").write_text("\n".join(map(json.dumps, lines)))
    return folder / "f.json"


def test_programs_and_traces_are_told_apart(tmp_path: Path) -> None:
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
    with pytest.raises(InputError, match=r"claim_id 0 stands also on line 1$"):
        read_traces(written(tmp_path, TRACE, TRACE))
