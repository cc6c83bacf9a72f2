"""The published rule for all cases, the published classifier, and our verdict model with temperature and biases."""

import math
from itertools import combinations_with_replacement, permutations
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import msgspec
import pytest
import torch

from src.errors import InputError, ModelError
from src.llm.weights import hash_of
from src.models import veracity
from src.models.base_model import find_base
from src.models.bert import classifier_files, load_bert
from src.models.evidence_rows import Input
from src.models.trained import TOGETHER, Together, trained_folders
from src.models.trained_classifier import load_trained
from src.models.veracity import (
    MAX_LENGTH,
    JointVerdict,
    StanceClassifier,
    aggregate,
    joined,
    load_runs,
    load_trained_verdict,
    probabilities,
)
from src.records import VERDICTS, Evidence, OverruledBy, QAPair, Verdict
from tests.models.adapters import make_base, make_trained
from tests.tiny_models import sentences

S, R, N, C = VERDICTS

GOLDEN = {
    (): N,
    (S,): S, (R,): R, (N,): N, (C,): N,
    (S, S): S, (S, R): C, (S, N): N, (S, C): N, (R, R): R, (R, N): N, (R, C): N, (N, N): N, (N, C): N, (C, C): N,
    (S, S, S): S, (S, S, R): C, (S, S, N): N, (S, S, C): N, (S, R, R): C, (S, R, N): N, (S, R, C): N, (S, N, N): N,
    (S, N, C): N, (S, C, C): N, (R, R, R): R, (R, R, N): N, (R, R, C): N, (R, N, N): N, (R, N, C): N, (R, C, C): N,
    (N, N, N): N, (N, N, C): N, (N, C, C): N, (C, C, C): N,
}  # fmt: skip


def test_the_table_is_complete() -> None:
    assert set(GOLDEN) == {stances for size in range(4) for stances in combinations_with_replacement(VERDICTS, size)}


def test_probabilities_are_the_softmax() -> None:
    chances = probabilities([math.log(0.1), math.log(0.2), math.log(0.3), math.log(0.4)])
    assert list(chances) == list(VERDICTS)
    assert list(chances.values()) == pytest.approx([0.1, 0.2, 0.3, 0.4])
    assert list(probabilities([-1000.0, -3000.0, -3000.0, -3000.0]).values()) == [1, 0, 0, 0]


@pytest.mark.parametrize("stances", GOLDEN)
def test_the_published_rule(stances: tuple[Verdict, ...]) -> None:
    assert {aggregate(order) for order in permutations(stances)} == {GOLDEN[stances]}


def test_the_published_text() -> None:
    pair = QAPair(" When was it sent? ", "\nIn 1998. ", "u")
    assert joined(" A claim. ", pair) == "[CLAIM] A claim. [QUESTION] When was it sent? In 1998."


def test_each_pair_is_classified_alone(four_classes: Path) -> None:
    lines = sentences()
    bert = load_bert(four_classes, 4, MAX_LENGTH)
    claims = [
        Evidence(place, lines[place], [QAPair(f"{lines[40 * n + place]}?", lines[n]) for n in range(place % 4 + 1)])
        for place in range(12)
    ]
    judgments = StanceClassifier(bert).judge(claims)
    seen: set[Verdict] = set()
    for claim, judgment in zip(claims, judgments, strict=True):
        stances = [VERDICTS[int(bert.logits([joined(claim.claim, pair)]).argmax())] for pair in claim.evidence]
        seen.update(stances)
        assert judgment.verdict == aggregate(stances)
        assert judgment.counts == {"texts": len(claim.evidence)}
        assert judgment.probabilities is None
    assert len(seen) > 1


LINES = sentences()
CLAIMS = [Evidence(n, LINES[n], [QAPair(LINES[n + 9 * k], LINES[k]) for k in range(n % 4 + 1)]) for n in range(10)]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_base(tmp_path_factory.mktemp("base") / "bert", "bert")


def test_probabilities_are_calibrated_and_verdicts_are_not_bound_to_them(base: Path, tmp_path: Path) -> None:
    make_trained(tmp_path / "plain", base, "veracity")
    make_trained(tmp_path / "biased", base, "veracity", temperature=2.5, biases=(0.0, 0.0, 100.0, 0.0))
    logits = load_trained(tmp_path / "plain", "veracity").logits(
        [(claim.claim, [(pair.question, pair.answer) for pair in claim.evidence]) for claim in CLAIMS]
    )
    plain, biased = (JointVerdict([load_trained(tmp_path / name, "veracity")]) for name in ("plain", "biased"))
    for judgment, row in zip(plain.judge(CLAIMS), logits, strict=True):
        assert judgment.probabilities is not None
        assert list(judgment.probabilities.values()) == pytest.approx(row.softmax(-1).tolist(), abs=1e-5)
        assert judgment.verdict == VERDICTS[int(row.argmax())]
        assert judgment.overruled_by is None
    for judgment, row in zip(biased.judge(CLAIMS), logits, strict=True):
        assert judgment.probabilities is not None
        assert list(judgment.probabilities.values()) == pytest.approx((row / 2.5).softmax(-1).tolist(), abs=1e-5)
        assert judgment.verdict == VERDICTS[2]
        assert (judgment.overruled_by is OverruledBy.BIASES) is (int(row.argmax()) != 2)
    assert plain.judge([]) == []


def test_of_what_is_no_number_no_verdict_is_made(base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_trained(tmp_path / "x", base, "veracity")
    classifier = load_trained(tmp_path / "x", "veracity")
    row = [math.nan, 1.0, 0.0, 0.0]
    monkeypatch.setattr(classifier, "logits", lambda inputs: torch.tensor([row] * len(inputs)))
    with pytest.raises(ModelError, match="a score that is not a number"):
        JointVerdict([classifier]).judge(CLAIMS)
    with pytest.raises(ModelError, match="a score that is not a number"):
        StanceClassifier(classifier).judge(CLAIMS)


def test_the_base_of_several_runs_is_found_and_checked_once(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed, folder in enumerate((tmp_path / "x", tmp_path / "x" / "seed_1", tmp_path / "x" / "seed_2")):
        make_trained(folder, base, "veracity", seed=seed)
    find = Mock(side_effect=find_base)
    monkeypatch.setattr(veracity, "find_base", find)
    assert (len(load_runs(tmp_path / "x")), find.call_count) == (3, 1)


def test_the_runs_in_subfolders_are_averaged(base: Path, tmp_path: Path) -> None:
    """Log-probabilities are averaged after each run's temperature; biases are averaged, too."""
    make_trained(tmp_path / "x", base, "veracity", temperature=2.0, biases=(0.0, 0.0, 1.0, 0.0))
    make_trained(tmp_path / "x" / "seed_1", base, "veracity", seed=1)
    (tmp_path / "x" / "seed_2").mkdir()  # holds nothing
    model = load_trained_verdict(tmp_path / "x")
    members = [load_trained(folder, "veracity") for folder in (tmp_path / "x", tmp_path / "x" / "seed_1")]
    inputs: list[Input] = [(c.claim, [(pair.question, pair.answer) for pair in c.evidence]) for c in CLAIMS]
    first, second = (member.logits(inputs) for member in members)
    assert not torch.allclose(first, second, atol=0.01)
    mean = ((first / 2).log_softmax(-1) + second.log_softmax(-1)) / 2
    decided = (mean + torch.tensor([0.0, 0.0, 0.5, 0.0])).argmax(-1).tolist()
    judgments = model.judge(CLAIMS)
    for judgment, row in zip(judgments, mean.softmax(-1).tolist(), strict=True):
        assert judgment.probabilities is not None
        assert list(judgment.probabilities.values()) == pytest.approx(row, abs=1e-5)
    assert [judgment.verdict for judgment in judgments] == [VERDICTS[place] for place in decided]
    assert model.info.details["seed_1"] == hash_of(tmp_path / "x" / "seed_1")
    assert classifier_files(tmp_path / "x", all_seeds=True)["best_checkpoint_seed_1"].parent.name == "seed_1"


def test_what_was_fitted_for_all_of_them_decides(base: Path, tmp_path: Path) -> None:
    make_trained(tmp_path / "x", base, "veracity", biases=(9.0, 0.0, 0.0, 0.0))
    make_trained(tmp_path / "x" / "seed_1", base, "veracity", seed=1)
    runs = JointVerdict(load_runs(tmp_path / "x"))
    inputs: list[Input] = [(c.claim, [(pair.question, pair.answer) for pair in c.evidence]) for c in CLAIMS]
    fitted = Together(runs.members, 2.0, (0.0, 0.0, 100.0, 0.0))
    (tmp_path / "x" / TOGETHER).write_bytes(msgspec.json.encode(fitted))
    for judgment, row in zip(
        load_trained_verdict(tmp_path / "x").judge(CLAIMS), runs.log_probabilities(inputs), strict=True
    ):
        assert judgment.probabilities is not None
        assert list(judgment.probabilities.values()) == pytest.approx((row / 2).softmax(-1).tolist(), abs=1e-5)
        assert judgment.verdict == VERDICTS[2]
    assert classifier_files(tmp_path / "x", all_seeds=True)["best_checkpoint_together"].name == TOGETHER
    make_trained(tmp_path / "x" / "seed_2", base, "veracity", seed=2)
    with pytest.raises(InputError, match=r"together\.json: was fitted for other weights"):
        load_trained_verdict(tmp_path / "x")


@pytest.mark.parametrize(("odd", "field"), [({"biases": (0.5, 0.1)}, "biases"), ({"temperature": 0.0}, "temperature")])
def test_odd_decisions_are_refused(odd: dict[str, Any], field: str, base: Path, tmp_path: Path) -> None:
    make_trained(tmp_path / "x", base, "veracity")
    members = JointVerdict(load_runs(tmp_path / "x")).members
    (tmp_path / "x" / TOGETHER).write_bytes(msgspec.json.encode({"members": members, "temperature": 1.0} | odd))
    with pytest.raises(InputError, match=rf"together\.json.*{field}"):
        load_trained_verdict(tmp_path / "x")


@pytest.mark.parametrize("other", [{"layout": "claim_only"}, {"seed": 0}, {"data": {"train.json": "0f"}}])
def test_what_is_no_other_run_of_it_is_refused(other: dict[str, Any], base: Path, tmp_path: Path) -> None:
    make_trained(tmp_path / "x", base, "veracity")
    make_trained(tmp_path / "x" / "seed_1", base, "veracity", **({"seed": 1} | other))
    with pytest.raises(InputError, match=r"seed_1/training\.json.*its recipe and data are not those beside it"):
        load_trained_verdict(tmp_path / "x")


def test_only_folders_of_a_number_are_other_runs(base: Path, tmp_path: Path) -> None:
    for name in ("x", "x/seed_10", "x/seed_2", "x/seed_3.bak", "x/seed_four"):
        make_trained(tmp_path / name, base, "veracity")
    assert [folder.name for folder in trained_folders(tmp_path / "x")] == ["x", "seed_2", "seed_10"]


def test_the_published_recipe_judges_each_pair_alone(base: Path, tmp_path: Path) -> None:
    make_trained(tmp_path / "x", base, "veracity", layout="published_text")
    classifier = load_trained(tmp_path / "x", "veracity")
    for claim, judgment in zip(CLAIMS, load_trained_verdict(tmp_path / "x").judge(CLAIMS), strict=True):
        classes = classifier.logits([joined(claim.claim, pair) for pair in claim.evidence]).argmax(-1).tolist()
        assert judgment.verdict == aggregate([VERDICTS[place] for place in classes])


def test_a_model_of_the_claim_alone_reads_no_evidence(base: Path, tmp_path: Path) -> None:
    make_trained(tmp_path / "x", base, "veracity", layout="claim_only")
    model = load_trained_verdict(tmp_path / "x")
    others = [Evidence(claim.claim_id, claim.claim, [QAPair("Why?", "Taxes.")]) for claim in CLAIMS]
    assert model.judge(CLAIMS) == model.judge(others)


def test_other_classes_are_refused(base: Path, tmp_path: Path) -> None:
    make_trained(tmp_path / "x", base, "veracity", labels=["yes", "no", "perhaps", "who knows"])
    with pytest.raises(InputError, match="not the four verdicts"):
        load_trained_verdict(tmp_path / "x")


@pytest.mark.parametrize(("odd", "field"), [({"biases": (0.5, 0.1)}, "biases"), ({"temperature": 0.0}, "temperature")])
def test_odd_records_are_refused(odd: dict[str, Any], field: str, base: Path, tmp_path: Path) -> None:
    make_trained(tmp_path / "x", base, "veracity", **odd)
    with pytest.raises(InputError, match=f"training.json.*{field}"):
        load_trained_verdict(tmp_path / "x")


@pytest.mark.parametrize("name", ["x" * 5000, f"hf:{'x' * 300}", f"hf:{'y/' * 3000}"])
def test_a_base_whose_name_is_too_long(name: str) -> None:
    with pytest.raises(InputError, match="no model "):
        find_base(name)
