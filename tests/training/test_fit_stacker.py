"""The step that fits a stacked verdict model: the file that it leaves judges claims."""

from pathlib import Path

import msgspec
import pytest

from src.models.entailment import LABELS, load_entailment
from src.records import Evidence, QAPair
from src.stance.stacker import STACKER, Sources, Stacker, load_stacked_verdict
from src.training.fit_stacker import main
from tests.models.adapters import make_base, make_trained
from tests.training.small_claims import write_claims
from tests.training.small_pack import write_pack


@pytest.fixture
def entailment(tmp_path: Path) -> Path:
    make_trained(tmp_path / "entailment", make_base(tmp_path / "bert", "bert"), "entailment", labels=LABELS)
    make_trained(tmp_path / "joint", tmp_path / "bert", "veracity")
    return tmp_path / "entailment"


def fit(folder: Path, entailment: Path, *more: str) -> int:
    files = ["--train", str(write_claims(folder, 200)), "--leave_out", "none", "-o", str(folder / "stacked")]
    models = ["--entailment", str(entailment), "--joint", str(folder / "joint")]
    return main([*files, *models, "--pack", str(write_pack(folder / "pack")), *more])


def test_what_it_leaves_judges_claims(tmp_path: Path, entailment: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fit(tmp_path, entailment) == 0
    assert "stacker: AVeriTeC accuracy" in capsys.readouterr().out
    held = msgspec.json.decode((tmp_path / "stacked" / STACKER).read_bytes(), type=Stacker)
    assert held.entailment == load_entailment(entailment).info.sha256
    assert {"train.json", "fm2.jsonl.gz"} <= set(held.data)
    assert {"AVeriTeC accuracy", "pack macro-F1", "pack coverage"} <= set(held.scores)
    model = load_stacked_verdict(tmp_path / "stacked", Sources(entailment, tmp_path / "joint"))
    (found,) = model.judge([Evidence(0, "The town sold trams.", [QAPair("", "It sold all of its trams.", "")])])
    assert found.level is not None
    assert found.verdict_set


def test_the_same_seed_gives_the_same_file(tmp_path: Path, entailment: Path) -> None:
    assert fit(tmp_path, entailment, "--quiet") == 0
    first = (tmp_path / "stacked" / STACKER).read_bytes()
    assert fit(tmp_path, entailment, "--quiet") == 0
    assert (tmp_path / "stacked" / STACKER).read_bytes() == first


def test_files_that_are_not_there_are_named(
    tmp_path: Path, entailment: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--train", "none.json", "--leave_out", "none", "--entailment", str(entailment)]) == 2
    assert "none.json: not found" in capsys.readouterr().err
    claims = str(write_claims(tmp_path, 40))
    assert main(["--train", claims, "--leave_out", "none", "--entailment", str(entailment), "--pack", "nowhere"]) == 2
    assert "nowhere/" in capsys.readouterr().err
