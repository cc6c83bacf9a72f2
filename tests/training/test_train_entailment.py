"""The step that trains an entailment model: the folder loads, and its record is right."""

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.torch import load_file

from src.llm.adapter import merge, read_adapter
from src.models.base_model import BaseModel
from src.models.entailment import LABELS, Premise, load_entailment
from src.models.prompted_classifier import ENTAILMENT_PROMPT
from src.models.trained import read_trained
from src.training.few_shot_encoders import find_encoder
from src.training.language_model import Prompted
from src.training.recipe import Recipe
from src.training.train_entailment import main
from tests.models.adapters import make_base
from tests.tiny_models import make_causal
from tests.training.small_claims import write_claims
from tests.training.small_pack import write_pack

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
    assert "several passages: FEVEROUS-S macro-F1" in trained.baselines
    assert sum(load_entailment(tmp_path / "made").score("It rained.", "It rained.")) == pytest.approx(1, abs=1e-3)


def test_what_is_refused(tmp_path: Path, base: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert train(tmp_path, base, "--hover_ids", "x.txt") == 2
    assert "--hover_ids goes with --hover" in capsys.readouterr().err
    assert train(tmp_path, base, "--hover", "none.json") == 2
    assert "none.json: not found" in capsys.readouterr().err


def test_sets_of_the_pack_alone_make_a_model_that_few_claims_tune(tmp_path: Path, base: Path) -> None:
    pack = write_pack(tmp_path / "pack")
    assert train(tmp_path, base, "--pack", str(pack), "--pack_only", "fm2,fever_dev", "--rank", "0") == 0
    trained = read_trained(tmp_path / "made", "entailment")
    assert set(trained.data) == {"train.json", "fm2.jsonl.gz", "fever_dev.jsonl.gz"}
    assert trained.recipe["options"]["pack_only"] == "fm2,fever_dev"
    assert "pack macro-F1" in trained.scores
    assert "AVeriTeC macro-F1" not in trained.scores
    encoder = find_encoder(str(tmp_path / "made"))
    assert (encoder.kind, encoder.labels[encoder.true]) == ("trained", "entailment")
    encoder.loaded(Recipe("few", "", rank=0, max_length=64))


def test_unknown_sets_of_the_pack_are_refused(tmp_path: Path, base: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        train(tmp_path, base, "--pack", "p", "--pack_only", "fm2,fever")
    assert "--pack_only: 'fever' is none of mnli, anli," in capsys.readouterr().err
    assert train(tmp_path, base, "--pack_only", "fm2") == 2
    assert "--pack_only goes with --pack" in capsys.readouterr().err
    assert train(tmp_path, base, "--pack", "p", "--pack_only", "fm2", "--hover", "h.json") == 2
    assert "--hover does not go with --pack_only" in capsys.readouterr().err


@pytest.fixture(scope="module")
def writer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_causal(tmp_path_factory.mktemp("writer") / "tiny", words=ENTAILMENT_PROMPT.answers)


def test_a_language_model_learns_to_answer_in_one_word(tmp_path: Path, writer: Path) -> None:
    how = ["--scored", "3", "--targets", "q_proj,down_proj", "--first_layer", "1", "--max_length", "128"]
    assert train(tmp_path, writer, *how) == 0
    trained = read_trained(tmp_path / "made", "entailment")
    assert (trained.layout, trained.labels) == (ENTAILMENT_PROMPT.name, LABELS)
    names = load_file(tmp_path / "made" / "adapter_model.safetensors")
    assert names
    assert all(".layers.1." in name for name in names)
    model = load_entailment(tmp_path / "made", "float32", "cpu")
    probabilities = model.score([("", "It rained.")], "It rained.")
    assert sum(probabilities) == pytest.approx(1, abs=1e-3)
    assert model.info.details["base"] == f"hf:{writer}"


def test_scores_while_training_are_those_of_the_loaded_model(tmp_path: Path, writer: Path) -> None:
    """Training reads the hidden states at the prompt's end; in use, the engine returns the answers' probabilities."""
    assert train(tmp_path, writer, "--scored", "3", "--targets", "q_proj", "--max_length", "128") == 0
    inputs = [("It rained.", [("", "It was wet.")]), ("Trams ran.", [("Trams", "None ran."), ("", "It was wet.")])]
    recipe = Recipe("same", "", rank=0, max_length=128)
    prompted = Prompted(BaseModel("", writer, None), recipe, ENTAILMENT_PROMPT)
    merge(prompted.model, read_adapter(tmp_path / "made"))
    temperature = read_trained(tmp_path / "made").temperature
    expected = (prompted.logits(prompted.model, inputs) / temperature).softmax(-1)
    scores = load_entailment(tmp_path / "made", "float32", "cpu").scores([Premise(p, h) for h, p in inputs])
    assert np.allclose(scores, expected.detach().numpy(), atol=2e-2)


def test_a_long_row_is_cut_but_not_in_the_claim(writer: Path) -> None:
    prompted = Prompted(BaseModel("", writer, None), Recipe("long", "", rank=0, max_length=200), ENTAILMENT_PROMPT)
    (row,) = prompted.rows([("It rained in Oster.", [("", "Trams ran there. " * 60)])])
    text = prompted.tokenizer.decode(row)
    assert len(row) == 200
    assert "Claim: It rained in Oster.\nJudging by" in text
    assert text.startswith("<system>")


def test_layers_are_chosen_among_named_maps(tmp_path: Path, writer: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert train(tmp_path, writer, "--first_layer", "1") == 2
    assert "--first_layer goes with --targets by name" in capsys.readouterr().err


def test_answers_that_begin_alike_are_refused(
    tmp_path: Path, writer: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    alike = ENTAILMENT_PROMPT._replace(answers=("True", "True enough", "Unknown"))
    monkeypatch.setattr("src.training.entailment.task.ENTAILMENT_PROMPT", alike)
    assert train(tmp_path, writer) == 2
    assert "begins two answers with the same token" in capsys.readouterr().err
