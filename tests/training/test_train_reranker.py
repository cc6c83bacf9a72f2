"""The step that trains a reranker: it leaves a folder that `-ckpt` takes, with the scores that it had in training."""

from pathlib import Path

import pytest

from src.models.reranker import load_reranker
from src.models.trained import read_trained
from src.records import CandidateQA, CandidateQuestions
from src.training.evidence_pool import EvidencePool
from src.training.results import read_results
from src.training.split import split_claims
from src.training.train_reranker import LABELS, main
from tests.models.adapters import make_base
from tests.training.small_claims import claims, write_claims

SMALL = ["--steps", "6", "--every", "3", "--batch", "8", "--rank", "2", "--alpha", "4"]
RANKED = ["--candidates", "6", "--scored", "3", "--ranked", "4", "--quiet"]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_base(tmp_path_factory.mktemp("bert") / "tiny", "bert")


def _train(folder: Path, base: Path, *more: str) -> int:
    output = ["-o", str(folder / "made"), "--results", str(folder / "results.jsonl")]
    return main(["--train", str(write_claims(folder)), "--base", f"hf:{base}", *output, *SMALL, *RANKED, *more])


def _scores(folder: Path) -> list[list[float]]:
    found = [pair for own in EvidencePool(split_claims(claims()).held_out).own for pair in own]
    pairs = [CandidateQA(pair.question, pair.answer, "") for pair in found]
    return load_reranker(folder).scores([CandidateQuestions(0, claims()[0].claim, pairs)])


@pytest.mark.parametrize(
    ("flags", "layout"),
    [([], "claim_pairs"), (["--negatives", "published", "--published_text"], "published_text"), (["--rank", "0"], "")],
)
def test_it_leaves_a_reranker(flags: list[str], layout: str, base: Path, tmp_path: Path) -> None:
    assert _train(tmp_path, base, *flags) == 0
    made = tmp_path / "made"
    trained = read_trained(made, "reranker")
    assert trained.layout == (layout or "claim_pairs")
    assert trained.labels == LABELS
    assert {"MRR", "recall@3"} == set(trained.scores)
    assert {"chance: MRR", "chance: recall@3"} <= set(trained.floors)
    assert (made / "adapter_config.json").exists() == ("--rank" not in flags)
    (scores,) = _scores(made)
    assert len(set(scores)) > 1
    (result,) = read_results(tmp_path / "results.jsonl")
    assert result.settings["options"]["random_each"] == (3 if "published" in flags else 1)


def test_two_runs_give_the_same_folder(base: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        assert _train(tmp_path / name, base) == 0
    weights = [(tmp_path / name / "made/adapter_model.safetensors").read_bytes() for name in ("one", "two")]
    assert weights[0] == weights[1]
    config = [(tmp_path / name / "made/adapter_config.json").read_bytes() for name in ("one", "two")]
    assert config[0] == config[1]
