"""The step that trains an entailment model: its folder answers, its record says what it saw."""

import json
from pathlib import Path

import pytest

from src.models.entailment import LABELS, load_entailment
from src.models.trained import read_trained
from src.training.train_entailment import main
from tests.models.adapters import make_base
from tests.training.small_claims import write_claims

SMALL = ["--steps", "4", "--every", "2", "--batch", "4", "--rank", "2", "--alpha", "4", "--max_length", "96", "--quiet"]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_base(tmp_path_factory.mktemp("base") / "bert", "bert")


def feverous(folder: Path) -> Path:
    path = folder / "f.json"
    lines = [
        {"id": n, "claim": f"Town {n} closed {n} schools.", "label": ("supports", "refutes")[n % 2],
         "evidence": f"Town {n}\tIt closed {n} of its schools in the year 1990.\nTown {n}\tIt rained."}
        for n in range(40)
    ]  # fmt: skip
    path.write_text(json.dumps(lines), "utf-8")
    return path


def train(folder: Path, base: Path, *more: str) -> int:
    files = ["-o", str(folder / "made"), "--results", str(folder / "results.jsonl"), "--leave_out", "none"]
    return main([*files, "--train", str(write_claims(folder)), "--base", f"hf:{base}", *SMALL, *more])


def test_what_it_leaves(tmp_path: Path, base: Path) -> None:
    ids = tmp_path / "ids.txt"
    ids.write_text("".join(f"{n}\n" for n in range(30)))
    assert train(tmp_path, base, "--feverous", str(feverous(tmp_path)), "--feverous_ids", str(ids)) == 0
    trained = read_trained(tmp_path / "made", "entailment")
    assert trained.labels == LABELS
    assert set(trained.data) == {"train.json", "f.json", "ids.txt"}
    assert {"AVeriTeC macro-F1", "FEVEROUS-S macro-F1", "FEVEROUS-S ECE"} <= set(trained.scores)
    assert "several passages: FEVEROUS-S macro-F1" in trained.floors
    assert sum(load_entailment(tmp_path / "made").score("It rained.", "It rained.")) == pytest.approx(1, abs=1e-3)


def test_what_is_refused(tmp_path: Path, base: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert train(tmp_path, base, "--hover_ids", "x.txt") == 2
    assert "--hover_ids goes with --hover" in capsys.readouterr().err
    assert train(tmp_path, base, "--hover", "none.json") == 2
    assert "none.json: not found" in capsys.readouterr().err
