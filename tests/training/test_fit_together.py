"""The step that fits the decision of several runs: it is the one that their mean log-probabilities ask for."""

import csv
from pathlib import Path
from shutil import rmtree

import pytest

from src.models.joint_veracity import JointVerdict, load_runs, load_trained_verdict
from src.models.trained import TOGETHER, read_together
from src.training.fit_together import main
from src.training.retrieved import read_retrieved
from src.training.split import split_claims
from src.training.verdicts.calibration import fit_decision
from src.training.verdicts.scores import held_out_parts
from tests.models.adapters import make_base, make_trained
from tests.training.small_claims import claims, write_claims

MOST = 300


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    base = make_base(tmp_path / "bert", "bert")
    make_trained(tmp_path / "model", base, "veracity", temperature=2.0)
    make_trained(tmp_path / "model" / "seed_1", base, "veracity", seed=1)
    return tmp_path / "model"


def fit(folder: Path) -> int:
    with (folder.parent / "retrieved.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "claim", "evi"])
        for claim in claims(MOST):
            rows.writerow([claim.claim_id, claim.claim, "What of it?\t\t\nThe town has many schools.\t\t\n\n"])
    train = write_claims(folder.parent, MOST)
    return main(
        [str(folder), "--train", str(train), "--leave_out", "none", "--retrieved", str(folder.parent / "retrieved.csv")]
    )


def test_it_fits_what_the_runs_say_together(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fit(folder) == 0
    assert "together.json: 2 runs, temperature " in capsys.readouterr().out
    runs, together = JointVerdict(load_runs(folder)), read_together(folder)
    assert together is not None
    retrieved = read_retrieved(folder.parent / "retrieved.csv", claims(MOST))
    parts = held_out_parts(split_claims(claims(MOST)).held_out, retrieved)
    assert [part.name for part in parts] == ["gold", "retrieved", "few retrieved"]
    logits = [(runs.log_probabilities(part.inputs).double().numpy(), part.numbers) for part in parts]
    temperature, biases = fit_decision(logits)
    assert together.members == runs.members
    assert together.temperature == temperature
    assert together.biases in ((), tuple(round(float(bias), 4) for bias in biases))
    assert set(together.data) == {"train.json", "retrieved.csv"}
    assert together.scores["gold accuracy"] == round(float((logits[0][0].argmax(1) == logits[0][1]).mean()), 5)
    assert isinstance(load_trained_verdict(folder), JointVerdict)


def test_fitted_again_it_replaces_what_was_fitted_for_other_runs(folder: Path) -> None:
    assert fit(folder) == 0
    rmtree(folder / "seed_1")
    assert fit(folder) == 0
    together = read_together(folder)
    assert together is not None
    assert len(together.members) == 1


def test_the_published_recipe_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_trained(tmp_path / "model", make_base(tmp_path / "bert", "bert"), "veracity", layout="published_text")
    assert fit(tmp_path / "model") == 2
    assert "of the published recipe, whose rule decides" in capsys.readouterr().err


def test_a_folder_of_another_task_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_trained(tmp_path / "model", make_base(tmp_path / "bert", "bert"), "reranker", labels=["no", "yes"])
    assert fit(tmp_path / "model") == 2
    assert "was trained for reranker, not for veracity" in capsys.readouterr().err
    assert not (tmp_path / "model" / TOGETHER).exists()
