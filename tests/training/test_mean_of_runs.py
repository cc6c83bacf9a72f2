"""The step that averages the weights of several runs: it holds their mean, and what is fitted is fitted for it."""

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from src.models.trained import read_trained
from src.models.veracity import load_trained_verdict
from src.records import Evidence, QAPair
from src.training.mean_of_runs import main
from tests.models.adapters import make_base, make_trained
from tests.training.small_scenarios import write_scenarios
from tests.training.test_fit_together import write_data

WEIGHTS = "adapter_model.safetensors"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    base, data = make_base(tmp_path / "bert", "bert"), write_data(tmp_path) | {WEIGHTS: "of the same start"}
    make_trained(tmp_path / "model", base, "veracity", temperature=2.0, data=data)
    make_trained(tmp_path / "model" / "seed_1", base, "veracity", seed=1, data=data)
    return tmp_path / "model"


def average(folder: Path, *more: str) -> int:
    files = {"--train": "train.json", "--retrieved": "retrieved.csv", "-o": "mean", "--results": "none.jsonl"}
    named = [word for flag, name in files.items() for word in (flag, str(folder.parent / name))]
    return main([str(folder), "--leave_out", "none", *named, *more])


def test_it_holds_the_mean_of_the_weights(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert average(folder, "--scenarios", str(write_scenarios(folder.parent / "scenarios"))) == 0
    assert "mean of seeds 0, 1; worth " in capsys.readouterr().out
    first, second, mean = (load_file(one / WEIGHTS) for one in (folder, folder / "seed_1", folder.parent / "mean"))
    assert first.keys() == mean.keys()
    for name, weight in mean.items():
        expected = (first[name].float() + second[name].float()) / 2
        assert torch.equal(weight, expected.bfloat16())
    trained = read_trained(folder.parent / "mean", "veracity")
    assert trained.mean_of == (0, 1)
    assert trained.temperature not in (1.0, 2.0)
    assert {"gold accuracy", "scenarios alone accuracy"} <= trained.scores.keys()
    card = (folder.parent / "mean" / "README.md").read_text(encoding="utf-8")
    assert "loss.svg" not in card
    judged = load_trained_verdict(folder.parent / "mean").judge([Evidence(0, "A claim.", [QAPair("Why?", "So.")])])
    assert sum((judged[0].probabilities or {}).values()) == pytest.approx(1)
    assert average(folder) == 2
    assert "is there already" in capsys.readouterr().err


def test_one_run_alone_has_no_mean(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = write_data(tmp_path) | {WEIGHTS: "of the same start"}
    make_trained(tmp_path / "model", make_base(tmp_path / "bert", "bert"), "veracity", data=data)
    assert average(tmp_path / "model") == 2
    assert "holds no other run as seed_N" in capsys.readouterr().err


def test_runs_that_began_each_with_weights_of_its_own_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base, data = make_base(tmp_path / "bert", "bert"), write_data(tmp_path)
    make_trained(tmp_path / "model", base, "veracity", data=data)
    make_trained(tmp_path / "model" / "seed_1", base, "veracity", seed=1, data=data)
    assert average(tmp_path / "model") == 2
    assert "did not begin with one adapter" in capsys.readouterr().err
    assert not (tmp_path / "mean").exists()
