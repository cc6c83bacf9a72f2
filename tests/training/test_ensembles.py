"""Several runs of a verdict model: decisions of the ensemble, the mean of the weights, and learning from a teacher."""

import csv
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from src.errors import InputError
from src.models.evidence_rows import PUBLISHED_TEXT
from src.models.trained import TOGETHER, read_together, read_trained
from src.models.veracity import JointVerdict, load_runs, load_trained_verdict
from src.records import Evidence, QAPair, Verdict
from src.store import sha256
from src.training import fit_together, mean_of_runs
from src.training.retrieved import read_retrieved
from src.training.split import split_claims
from src.training.verdicts.scores import held_out_parts, joint_final
from src.training.verdicts.task import load_teacher, taught
from tests.models.adapters import make_base, make_trained
from tests.training.small_claims import claims, write_claims
from tests.training.small_scenarios import write_scenarios

MOST = 300


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    base, data = make_base(tmp_path / "bert", "bert"), write_data(tmp_path)
    make_trained(tmp_path / "model", base, "veracity", temperature=2.0, data=data)
    make_trained(tmp_path / "model" / "seed_1", base, "veracity", seed=1, data=data)
    return tmp_path / "model"


def write_data(folder: Path) -> dict[str, str]:
    """Write training claims and retrieved evidence; return the files' names and hashes."""
    with (folder / "retrieved.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "claim", "evi"])
        for claim in claims(MOST):
            rows.writerow([claim.claim_id, claim.claim, "What of it?\t\t\nThe town has many schools.\t\t\n\n"])
    return {path.name: sha256(path) for path in (write_claims(folder, MOST), folder / "retrieved.csv")}


def fit(folder: Path, retrieved: str = "retrieved.csv") -> int:
    files = {"--train": folder.parent / "train.json", "--retrieved": folder.parent / retrieved}
    return fit_together.main(
        [str(folder), "--leave_out", "none", *(str(word) for flag in files.items() for word in flag)]
    )


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


def test_other_files_than_those_of_the_training_are_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder.parent / "other.csv").write_bytes((folder.parent / "retrieved.csv").read_bytes())
    assert fit(folder, "other.csv") == 2
    assert "by name or content: train.json, retrieved.csv" in capsys.readouterr().err
    with (folder.parent / "retrieved.csv").open("a", encoding="utf-8") as file:
        file.write("\n")
    assert fit(folder) == 2
    assert fit_together.main([str(folder), "--leave_out", "none", "--train", str(folder.parent / "train.json")]) == 2
    assert not (folder / TOGETHER).exists()


def test_the_published_recipe_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_data(tmp_path)
    make_trained(tmp_path / "model", make_base(tmp_path / "bert", "bert"), "veracity", layout="published_text")
    assert fit(tmp_path / "model") == 2
    assert "was trained by the published recipe, whose rule makes" in capsys.readouterr().err


def test_a_folder_of_another_task_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_data(tmp_path)
    make_trained(tmp_path / "model", make_base(tmp_path / "bert", "bert"), "reranker", labels=["no", "yes"])
    assert fit(tmp_path / "model") == 2
    assert "was trained for reranker, not for veracity" in capsys.readouterr().err
    assert not (tmp_path / "model" / TOGETHER).exists()


WEIGHTS = "adapter_model.safetensors"


@pytest.fixture
def begun(tmp_path: Path) -> Path:
    base, data = make_base(tmp_path / "bert", "bert"), write_data(tmp_path) | {WEIGHTS: "of the same start"}
    make_trained(tmp_path / "model", base, "veracity", temperature=2.0, data=data)
    make_trained(tmp_path / "model" / "seed_1", base, "veracity", seed=1, data=data)
    return tmp_path / "model"


def average(folder: Path, *more: str) -> int:
    files = {"--train": "train.json", "--retrieved": "retrieved.csv", "-o": "mean", "--results": "none.jsonl"}
    named = [word for flag, name in files.items() for word in (flag, str(folder.parent / name))]
    return mean_of_runs.main([str(folder), "--leave_out", "none", *named, *more])


def test_it_holds_the_mean_of_the_weights(begun: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert average(begun, "--scenarios", str(write_scenarios(begun.parent / "scenarios"))) == 0
    assert "mean of seeds 0, 1; worth " in capsys.readouterr().out
    first, second, mean = (load_file(one / WEIGHTS) for one in (begun, begun / "seed_1", begun.parent / "mean"))
    assert first.keys() == mean.keys()
    for name, weight in mean.items():
        expected = (first[name].float() + second[name].float()) / 2
        assert torch.equal(weight, expected.bfloat16())
    trained = read_trained(begun.parent / "mean", "veracity")
    assert trained.mean_of == (0, 1)
    assert trained.temperature not in (1.0, 2.0)
    assert {"gold accuracy", "scenarios alone accuracy"} <= trained.scores.keys()
    card = (begun.parent / "mean" / "README.md").read_text(encoding="utf-8")
    assert "loss.svg" not in card
    judged = load_trained_verdict(begun.parent / "mean").judge([Evidence(0, "A claim.", [QAPair("Why?", "So.")])])
    assert sum((judged[0].probabilities or {}).values()) == pytest.approx(1)
    assert average(begun) == 2
    assert "exists; name another folder" in capsys.readouterr().err


def test_one_run_alone_has_no_mean(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = write_data(tmp_path) | {WEIGHTS: "of the same start"}
    make_trained(tmp_path / "model", make_base(tmp_path / "bert", "bert"), "veracity", data=data)
    assert average(tmp_path / "model") == 2
    assert "has no other run (seed_N)" in capsys.readouterr().err


def test_runs_that_began_each_with_weights_of_its_own_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base, data = make_base(tmp_path / "bert", "bert"), write_data(tmp_path)
    make_trained(tmp_path / "model", base, "veracity", data=data)
    make_trained(tmp_path / "model" / "seed_1", base, "veracity", seed=1, data=data)
    assert average(tmp_path / "model") == 2
    assert "did not begin with the same adapter" in capsys.readouterr().err
    assert not (tmp_path / "mean").exists()


class _Sure(JointVerdict):
    """Model that gives every input the probabilities [.1, .2, .3, .4]."""

    def __init__(self) -> None:
        pass

    def log_probabilities(self, inputs: object) -> torch.Tensor:
        return torch.tensor([[0.1, 0.2, 0.3, 0.4]]).log().repeat(len(inputs), 1)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("share", "expected"),
    [(1.0, [0.1, 0.2, 0.3, 0.4]), (0.0, [0.0, 1.0, 0.0, 0.0]), (0.5, [0.05, 0.6, 0.15, 0.2])],
)
def test_a_share_of_the_teacher_and_the_rest_of_the_label(share: float, expected: list[float]) -> None:
    first, second = taught(_Sure(), [("A claim.", []), ("Another.", [])], [1, 3], share)
    assert first == pytest.approx(expected)
    assert sum(second) == pytest.approx(1)
    assert second[3] == pytest.approx(0.4 * share + 1 - share)


def test_a_model_of_single_answers_is_no_teacher(tmp_path: Path) -> None:
    base = make_base(tmp_path / "base", "bert")
    make_trained(tmp_path / "made", base, "veracity", layout=PUBLISHED_TEXT)
    with pytest.raises(InputError, match="is a model of single answers"):
        load_teacher(tmp_path / "made")
