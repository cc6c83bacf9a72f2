"""Settings of a cluster: where the address comes from, and which numbers of GPUs Ray can give a worker."""

import pytest

from src.runner.flags import parsed, parser_of
from src.settings import ClusterSettings


@pytest.mark.parametrize(
    ("flag", "environment", "address"),
    [
        (None, None, ""),
        (None, "10.0.0.1:6379", "10.0.0.1:6379"),
        ("auto", "10.0.0.1:6379", "auto"),
        ("none", "10.0.0.1:6379", ""),
        ("", "10.0.0.1:6379", ""),
        (None, "none", ""),
    ],
)
def test_the_address_is_that_of_the_flag_else_of_the_environment(
    monkeypatch: pytest.MonkeyPatch, flag: str | None, environment: str | None, address: str
) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    if environment is not None:
        monkeypatch.setenv("RAY_ADDRESS", environment)
    assert ClusterSettings(ray=flag).address == address


def gpus(text: str) -> float:
    parser = parser_of(ClusterSettings, "a.step", "A step.")
    return parsed(ClusterSettings, parser, ["--actor_gpus", text]).actor_gpus


@pytest.mark.parametrize(("text", "number"), [("0", 0), (".5", 0.5), ("1", 1), ("2", 2), ("8.0", 8)])
def test_gpus_of_a_worker_are_a_share_or_whole(text: str, number: float) -> None:
    assert gpus(text) == number


@pytest.mark.parametrize("text", ["1.5", "-1", "nan", "inf", "one"])
def test_other_numbers_of_gpus_are_one_line(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        gpus(text)
    assert ended.value.code == 2
    error = capsys.readouterr().err
    assert f"argument --actor_gpus: {text} is " in error
    assert error.count("\n") == 1
