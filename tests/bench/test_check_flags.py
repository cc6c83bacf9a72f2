"""bench.check: wrong values are one line."""

import pytest

from bench.check.__main__ import main


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--strategies", "questions,nope"], "argument --strategies: 'nope' is not one of questions, programs"),
        (["--strategies", ""], "argument --strategies: '' is not one of questions, programs"),
        (["--claims", "ten"], "argument --claims: 'ten' is not FIRST-LAST"),
        (["--select", "nope"], "argument --select: invalid choice: 'nope'"),
        (["--retriever", "nope"], "argument --retriever: invalid choice: 'nope'"),
    ],
)
def test_a_wrong_value_is_one_line(flags: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(flags)
    error = capsys.readouterr().err
    assert ended.value.code == 2
    assert error.startswith(f"error: {message}")
    assert error.count("\n") == 1


def test_a_verdict_model_that_is_not_there_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--verdict", "nope"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: --verdict nope: no such checkpoint or folder, and none of the names stacked, ")
    assert error.count("\n") == 1
