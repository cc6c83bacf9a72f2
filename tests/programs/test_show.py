"""Traces as trees: every step once, what decides marked, and what others wrote escaped."""

from pathlib import Path

import pytest

from src.programs import show
from src.programs.drawing import FORMATS, tree
from src.programs.records import ClaimTrace, Function, ProgramTrace, StepEvidence, StepTrace
from src.records import Value
from src.store import encode_lines
from tests.programs.answers import F, T, ran

PROGRAM = (
    'answer_1 = Question("Who?")\nfact_1 = Verify("{answer_1} is old.")\nfact_2 = Verify("A.")\n'
    'fact_3 = Verify("{answer_1} sings.")\nVerify("B.")\nlabel = predict(fact_1 and fact_3 and fact_2)'
)


def traced() -> ClaimTrace:
    return ran(PROGRAM, answers={"Who?": "<i>Ann</i>"}, A=T, B=F)[0]


def test_as_text() -> None:
    (program,) = traced().programs
    assert FORMATS["text"](tree(program)).splitlines() == [
        "unknown: Predict(fact_1 and fact_3 and fact_2)",
        "├─ * fact_1 = Verify(<i>Ann</i> is old.) -> unknown",
        "│  └─ answer_1 = Question(Who?) -> <i>Ann</i>",
        "├─ * fact_3 = Verify(<i>Ann</i> sings.) -> unknown",
        "│  └─ answer_1 = Question(Who?) -> <i>Ann</i> (see above)",
        "├─ fact_2 = Verify(A.) -> true",
        "└─ Verify(B.) -> false",
    ]


def test_evidence_stands_below_its_step() -> None:
    step = StepTrace(
        "fact_1", Function.VERIFY, 1, "A.", "true", [StepEvidence("It is so.", "https://x.example/", 1.0)], True
    )
    drawn = tree(ProgramTrace(Value.TRUE, [step], [], "fact_1"))
    assert FORMATS["text"](drawn).splitlines()[-1] == "      It is so. (https://x.example/)"
    assert "It is so. (https://x.example/)" in FORMATS["dot"](drawn)
    assert "<blockquote>It is so. (https://x.example/)</blockquote>" in FORMATS["html"](drawn)
    assert "It is so." in FORMATS["mermaid"](drawn)


def test_what_was_written_by_others_is_escaped() -> None:
    step = StepTrace("fact_1", Function.VERIFY, 1, '<script>"x\\";]</script>', "true")
    drawn = tree(ProgramTrace(Value.TRUE, [step], [], "fact_1"))
    assert "<script>" not in FORMATS["html"](drawn)
    assert '"]' not in FORMATS["mermaid"](drawn).splitlines()[2].removesuffix('"]')
    assert '[label="fact_1 = Verify(<script>\\"x\\\\\\";]</script>) -> true"]' in FORMATS["dot"](drawn)


def test_many_uses_of_one_answer_stay_a_small_tree() -> None:
    lines = [
        'answer_0 = Question("Q")',
        *[f'answer_{n} = Question("{{answer_{n - 1}}} {{answer_{n - 2}}}")' for n in range(2, 30)],
    ]
    lines[1:1] = ['answer_1 = Question("R")']
    (program,) = ran("\n".join([*lines, "label = Predict(answer_29)"]), answers={"Q": "q", "R": "r"})[0].programs
    assert len(FORMATS["text"](tree(program)).splitlines()) < 80


@pytest.mark.parametrize("form", list(FORMATS))
def test_the_step(form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.json").write_bytes(encode_lines([traced()]))
    assert show.main([str(tmp_path / "t.json"), "--format", form]) == 0
    shown = capsys.readouterr().out
    assert "[0] A claim." in shown
    assert "unknown by 100% of 1 programs" in shown
    assert "line 6, function-case: predict is written Predict" in shown
    assert show.main([str(tmp_path / "t.json"), "--claim", "0"]) == 0
    assert show.main([str(tmp_path / "t.json"), "--claim", "1"]) == 2
    assert "--claim 1: no such claim" in capsys.readouterr().err
