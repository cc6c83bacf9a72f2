"""The step that fits the decision of several runs: it is the one that their mean log-probabilities ask for."""

import csv
from pathlib import Path
from shutil import rmtree

import pytest

from src.models.trained import TOGETHER, read_together
from src.models.veracity import JointVerdict, load_runs, load_trained_verdict
from src.records import Verdict
from src.store import sha256
from src.training.fit_together import main
from src.training.retrieved import read_retrieved
from src.training.split import split_claims
from src.training.verdicts.scores import held_out_parts, joint_final
from tests.models.adapters import make_base, make_trained
from tests.training.small_claims import claims, write_claims

MOST = 300


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    base, data = make_base(tmp_path / "bert", "bert"), write_data(tmp_path)
    make_trained(tmp_path / "model", base, "veracity", temperature=2.0, data=data)
    make_trained(tmp_path / "model" / "seed_1", base, "veracity", seed=1, data=data)
    return tmp_path / "model"


def write_data(folder: Path) -> dict[str, str]:
    """Training claims and what was retrieved for them; their names and hashes."""
    with (folder / "retrieved.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "claim", "evi"])
        for claim in claims(MOST):
            rows.writerow([claim.claim_id, claim.claim, "What of it?\t\t\nThe town has many schools.\t\t\n\n"])
    return {path.name: sha256(path) for path in (write_claims(folder, MOST), folder / "retrieved.csv")}


def fit(folder: Path, retrieved: str = "retrieved.csv") -> int:
    files = {"--train": folder.parent / "train.json", "--retrieved": folder.parent / retrieved}
    return main([str(folder), "--leave_out", "none", *(str(word) for flag in files.items() for word in flag)])


def test_it_fits_what_the_runs_say_together(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fit(folder) == 0
    assert "together.json: 2 runs, temperature " in capsys.readouterr().out
    runs, together = JointVerdict(load_runs(folder)), read_together(folder)
    assert together is not None
    retrieved = read_retrieved(folder.parent / "retrieved.csv", claims(MOST))
    parts = held_out_parts(split_claims(claims(MOST)).held_out, retrieved)
    assert [part.name for part in parts] == ["gold", "retrieved", "few retrieved"]
    final = joint_final(lambda inputs: runs.log_probabilities(inputs).double().numpy(), parts, Verdict.SUPPORTED)
    assert together.members == runs.members
    assert together.temperature == final.temperature != 1
    assert together.biases == final.biases
    assert together.scores == {name: round(value, 5) for name, value in final.scores.items()}
    assert set(together.data) == {"train.json", "retrieved.csv"}
    assert isinstance(load_trained_verdict(folder), JointVerdict)


def test_fitted_again_it_replaces_what_was_fitted_for_other_runs(folder: Path) -> None:
    assert fit(folder) == 0
    rmtree(folder / "seed_1")
    assert fit(folder) == 0
    together = read_together(folder)
    assert together is not None
    assert len(together.members) == 1


def test_other_files_than_those_of_the_training_are_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder.parent / "other.csv").write_bytes((folder.parent / "retrieved.csv").read_bytes())
    assert fit(folder, "other.csv") == 2
    assert "than are given: train.json, retrieved.csv" in capsys.readouterr().err
    with (folder.parent / "retrieved.csv").open("a", encoding="utf-8") as file:
        file.write("\n")
    assert fit(folder) == 2
    assert main([str(folder), "--leave_out", "none", "--train", str(folder.parent / "train.json")]) == 2
    assert not (folder / TOGETHER).exists()


def test_the_published_recipe_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_data(tmp_path)
    make_trained(tmp_path / "model", make_base(tmp_path / "bert", "bert"), "veracity", layout="published_text")
    assert fit(tmp_path / "model") == 2
    assert "of the published recipe, whose rule decides" in capsys.readouterr().err


def test_a_folder_of_another_task_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_data(tmp_path)
    make_trained(tmp_path / "model", make_base(tmp_path / "bert", "bert"), "reranker", labels=["no", "yes"])
    assert fit(tmp_path / "model") == 2
    assert "was trained for reranker, not for veracity" in capsys.readouterr().err
    assert not (tmp_path / "model" / TOGETHER).exists()
