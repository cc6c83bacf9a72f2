"""The check is no second pipeline: on the same store it finds what the steps find, one after the other."""

from collections.abc import Callable
from pathlib import Path

import pytest

from src.check import CheckRequest, Models, Sources, Strategy, check_claim
from src.explanation import generate_explanations
from src.prediction import veracity_prediction
from src.programs import execute_programs, generate_programs
from src.records import Claim, Prediction
from src.reranking import bm25_sentences, question_generation_top_sentences, rerank_questions
from src.store import encode_list, read_records
from tests.check.conftest import WRITER

pytestmark = pytest.mark.long


@pytest.fixture
def world(claims: list[Claim], tmp_path: Path) -> Path:
    """Claim 4 alone, as number 4 of a file: without an article of its own, which a check does not know."""
    claim = claims[4]
    (tmp_path / "claims.json").write_bytes(
        encode_list([Claim(claim.claim, 4, claim_date=claim.claim_date, speaker=claim.speaker)])
    )
    return tmp_path


def steps_of_questions(world: Path, store: Path) -> Prediction:
    top, questions, best, judged, explanations, justified = (str(world / f"{name}.json") for name in "tabjwp")
    claims = ["-s", "4", "--quiet"]
    sentences = ["-k", str(store), "-c", str(world / "claims.json"), "-o", top, "--top_k", "10", "--no_index"]
    assert bm25_sentences.main([*sentences, "--retriever", "hybrid", "--passages", *claims, "-e", "5"]) == 0
    assert (
        question_generation_top_sentences.main(["-i", top, "-o", questions, "--samples", str(WRITER.samples), *claims])
        == 0
    )
    assert rerank_questions.main(["-i", questions, "-o", best, "--top_n", "5", "--select", "stance", *claims]) == 0
    assert veracity_prediction.main(["-i", best, "-o", judged, "--verdict", "stacked", *claims]) == 0
    why = ["-o", explanations, "--method", "stance", "--predictions", justified]
    assert generate_explanations.main(["-i", judged, *why, *claims]) == 0
    return read_records(Path(justified), Prediction)[0]


def steps_of_programs(world: Path, store: Path) -> Prediction:
    programs, trace, judged, why, justified = (str(world / f"{name}.json") for name in "gtjwp")
    claims = ["-s", "4", "--quiet"]
    assert generate_programs.main(["-c", str(world / "claims.json"), "-o", programs, "--llm", "none", *claims]) == 0
    answering = ["--setting", "open", "--entailment", "pretrained_models/adapters/entailment", "-k", str(store)]
    output = ["-o", trace, "--predictions", judged, "--top_n", "5"]
    assert execute_programs.main(["-i", programs, *output, *answering, *claims]) == 0
    explained = ["-o", why, "--method", "stance", "--predictions", justified]
    assert generate_explanations.main(["-i", judged, *explained, *claims]) == 0
    return read_records(Path(justified), Prediction)[0]


@pytest.fixture
def loaded(models: Models, monkeypatch: pytest.MonkeyPatch) -> Models:
    """The steps load what is loaded already."""
    models.load(Strategy.QUESTIONS)
    monkeypatch.setattr("src.pipeline.rank.load_encoder", lambda name: models.encoder)
    monkeypatch.setattr("src.reranking.questions.flags.get_llm", lambda spec, options: models.writer.model)
    monkeypatch.setattr("src.pipeline.select.load_stance_reader", lambda *how: models.reader)
    monkeypatch.setattr("src.pipeline.judge.load_verdict_model", lambda *how: models.verdict)
    return models


@pytest.mark.parametrize(
    ("strategy", "steps"), [(Strategy.QUESTIONS, steps_of_questions), (Strategy.PROGRAMS, steps_of_programs)]
)
def test_evidence_verdict_and_justification_are_those_of_the_steps(
    strategy: Strategy,
    steps: Callable[[Path, Path], Prediction],
    world: Path,
    sample: Path,
    claims: list[Claim],
    loaded: Models,
) -> None:
    store, claim = sample / "knowledge_store", claims[4]
    request = CheckRequest(
        claim.claim, Sources(knowledge_store=store / "4.json"), "30-1-2024", str(claim.speaker), strategy
    )
    prediction = check_claim(request, models=loaded).prediction
    expected = steps(world, store)
    assert prediction.evidence == expected.evidence
    assert prediction.evidence
    assert (prediction.pred_label, prediction.probabilities) == (expected.pred_label, expected.probabilities)
    assert prediction.level == expected.level
    assert prediction.justification == expected.justification
