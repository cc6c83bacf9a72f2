"""The entailment model: three probabilities, independent of the other inputs of a call."""

from pathlib import Path

import pytest

from src.errors import InputError
from src.models.entailment import LABELS, TASK, Entailment, Premise, load_entailment
from src.models.evidence_rows import CLAIM_ONLY, LAYOUT
from src.models.veracity import load_trained_verdict
from src.records import Evidence, QAPair
from tests.models.adapters import make_base, make_trained

PREMISE = [("Oster", "The town closed 3 schools."), ("", "It rained.")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("entailment")
    make_trained(root / "made", make_base(root / "base", "bert"), TASK, labels=LABELS, temperature=2.0)
    return root / "made"


@pytest.fixture(scope="module")
def model(folder: Path) -> Entailment:
    return load_entailment(folder, "float32", "cpu")


def test_probabilities_of_a_hypothesis(model: Entailment) -> None:
    probabilities = model.score(PREMISE, "The town closed schools.")
    assert sum(probabilities) == pytest.approx(1, abs=1e-5)
    assert probabilities != model.score(PREMISE[:1], "The town closed schools.")
    assert model.score("The town closed 3 schools.", "x") == model.score([("", "The town closed 3 schools.")], "x")


def test_other_inputs_of_a_call_change_nothing(model: Entailment) -> None:
    one, other = Premise(PREMISE, "The town closed schools."), Premise([("", "It rained.")], "It snowed.")
    both = model.scores([other, one, other])
    assert both[0] == both[2]
    assert both[1] == pytest.approx(model.score(*one), abs=1e-5)
    assert model.scores([]) == []


def test_a_verdict_model_serves_as_entailment_model(tmp_path: Path) -> None:
    make_trained(tmp_path / "verdicts", make_base(tmp_path / "base", "bert"), "veracity", temperature=2.0)
    read = load_entailment(tmp_path / "verdicts", "float32", "cpu").score(PREMISE, "The town closed schools.")
    verdict = load_trained_verdict(tmp_path / "verdicts", "float32", "cpu")
    pairs = [QAPair(title, text) for title, text in PREMISE]
    (judged,) = verdict.judge([Evidence(0, "The town closed schools.", pairs)])
    assert judged.probabilities is not None
    supported, refuted, neither, both = judged.probabilities.values()
    assert read == pytest.approx((supported + both / 2, refuted + both / 2, neither), abs=1e-4)


def test_another_task_or_other_classes_are_refused(folder: Path, tmp_path: Path) -> None:
    base = make_base(tmp_path / "base", "bert")
    for name, task, layout in (("reranker", "reranker", LAYOUT), ("blind", "veracity", CLAIM_ONLY)):
        make_trained(tmp_path / name, base, task, layout=layout)
        with pytest.raises(InputError, match="is neither an entailment model nor a verdict model that reads all"):
            load_entailment(tmp_path / name)
    make_trained(tmp_path / "two", base, TASK, labels=LABELS[:2])
    with pytest.raises(InputError, match="not entailment, contradiction, neutral"):
        load_entailment(tmp_path / "two")
