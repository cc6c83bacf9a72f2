"""The step that trains a tagger: its folder tags words, its record says what it saw."""

import json
from pathlib import Path

import pytest

from src.models.faithfulness import LABELS, load_tagger
from src.models.trained import read_trained
from src.training.train_faithfulness import main
from tests.models.adapters import make_base
from tests.training.small_claims import write_claims

SMALL = ["--steps", "4", "--every", "2", "--batch", "4", "--rank", "2", "--alpha", "4", "--max_length", "96", "--quiet"]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_base(tmp_path_factory.mktemp("base") / "bert", "bert")


def train(folder: Path, base: Path, *more: str) -> int:
    path = write_claims(folder)
    held = json.loads(path.read_text())
    for number, one in enumerate(held):
        one["justification"] = f"The town closed {number + 30} schools. It was a long winter."
    path.write_text(json.dumps(held))
    files = ["-o", str(folder / "made"), "--results", str(folder / "results.jsonl"), "--leave_out", "none"]
    return main([*files, "--train", str(path), "--base", f"hf:{base}", *SMALL, *more])


def test_what_it_leaves(tmp_path: Path, base: Path) -> None:
    assert train(tmp_path, base) == 0
    trained = read_trained(tmp_path / "made", "faithfulness")
    assert trained.labels == LABELS
    assert {"mean recall", "extrinsic number", "overgeneralisation"} <= set(trained.scores)
    sentence = "The town closed 30 schools."
    tags = load_tagger(tmp_path / "made").tag([(sentence, [("claim", "It closed schools.")]), ("No.", [])])
    assert [sentence[word.start : word.end] for word in tags[0]][-1] == "."
    assert all(sum(word.probabilities) == pytest.approx(1, abs=1e-3) for word in tags[0])
    assert tags[1][-1].end == len("No.")


def test_it_begins_with_a_trained_adapter(tmp_path: Path, base: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert train(tmp_path, base) == 0
    begun = tmp_path / "made"
    begun.rename(tmp_path / "begun")
    assert train(tmp_path, base, "--begin_with", str(tmp_path / "begun"), "--learning_rate", "1e-9") == 0
    assert "adapter_model.safetensors" in read_trained(begun, "faithfulness").data
    asked = [("The town closed 30 schools.", [("claim", "It closed schools.")])]
    (first,), (second,) = (load_tagger(folder).tag(asked) for folder in (tmp_path / "begun", begun))
    assert [one.probabilities for one in second] == [pytest.approx(one.probabilities, abs=1e-3) for one in first]
    assert train(tmp_path, base, "--begin_with", str(tmp_path / "begun"), "--rank", "3", "--overwrite") == 2
    assert "its adapters have another rank" in capsys.readouterr().err
