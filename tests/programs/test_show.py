"""The step: the claims that are asked for, in each format as one document."""

from pathlib import Path

import msgspec
import pytest

from src.programs import show
from src.programs.show import FORMATS
from src.runner.output import Failure, failures_path
from src.store import encode_lines
from tests.programs.answers import T, ran


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    one = ran('fact_1 = Verify("A.")\nlabel = predict(fact_1)', A=T)[0]
    (tmp_path / "t.json").write_bytes(encode_lines([one]))
    return tmp_path / "t.json"


@pytest.mark.parametrize("form", list(FORMATS))
def test_each_format_shows_claim_vote_step_and_repair(
    form: str, trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert show.main([str(trace), "--format", form]) == 0
    shown = capsys.readouterr().out
    for word in ("A claim.", "true", "program 1", "fact", "line 2, function", " Predict"):
        assert word in shown
    assert "by 100" not in shown  # one program has no vote


@pytest.mark.parametrize("form", list(FORMATS))
def test_no_claim_commands_the_terminal(form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = ran('fact_1 = Verify("A.")\nlabel = predict(fact_1)', A=T)[0]
    path = tmp_path / "t.json"
    path.write_bytes(encode_lines([msgspec.structs.replace(one, claim="A \x1b[2Jclaim\x00 \u202efo\u2066\x9b.")]))
    assert show.main([str(path), "--format", form]) == 0
    shown = capsys.readouterr().out
    assert "claim" in shown
    assert not set("\x1b\x00\x9b\u202e\u2066") & set(shown)


def test_one_claim_of_several(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert show.main([str(trace), "--claim", "0"]) == 0
    assert show.main([str(trace), "--claim", "1"]) == 2
    assert "--claim 1: no such claim" in capsys.readouterr().err
    trace.write_bytes(b"")
    assert show.main([str(trace)]) == 2
    assert capsys.readouterr().err == f"error: {trace}: holds no claims\n"


def test_a_folder_is_refused_as_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert show.main([str(tmp_path)]) == 2
    assert capsys.readouterr().err == f"error: {tmp_path}: is a folder; name a file in it\n"
    assert show.main([str(tmp_path / "t.json")]) == 2
    assert capsys.readouterr().err.endswith("t.json: not found; it is written by: src.programs.execute_programs\n")


def test_why_a_claim_failed_is_shown(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    failure = Failure(0, "execute_programs", "StoreError", "no file\nfor claim 0", "")
    failures_path(trace).write_bytes(encode_lines([failure]))
    assert show.main([str(trace)]) == 0
    assert capsys.readouterr().out.splitlines()[1] == "true; failed: no file for claim 0"
