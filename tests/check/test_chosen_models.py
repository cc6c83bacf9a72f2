"""Checks with other models than the default ones: retriever, reranker, and a language model's verdict with reasons."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from src.check import CheckRequest, Models, ModelSettings, Select, Sources, Strategy, check_claim
from src.check.text import described
from src.errors import InputError
from src.llm import Options
from src.llm.scripted_backend import ScriptedModel, ScriptLine
from src.models.classifier import Classifier
from src.models.entailment import load_reading
from src.models.llm_veracity import ROLE
from src.models.reasoned_veracity import REASONS_ROLE, ReasonedVerdict
from src.prediction.verdicts import OURS, STACKED, llm_verdict_model
from src.records import Claim, Verdict
from src.reranking.questions.flags import WriterSettings
from src.reranking.retrievers import RETRIEVERS
from src.stance.reader import READER
from src.stance.stacker import STACKER
from tests.check.conftest import WRITER

pytestmark = pytest.mark.long

PAGES = (
    '{"url": "https://a.example/", "url2text": ["Eels swim to the Sargasso Sea.", "They spawn there in spring."]}\n'
    '{"url": "https://b.example/", "url2text": ["Eels never swim to the Sargasso Sea."]}\n'
)
LOG = (
    '{"row": 0, "url": "https://a.example/", "sentences": 2, "date": "2019-05-01"}\n'
    '{"row": 1, "url": "https://b.example/", "sentences": 1, "date": "2021-05-01"}\n'
)


@pytest.fixture
def check_request(tmp_path: Path) -> CheckRequest:
    """A claim with two pages, of which one is of a later day."""
    (tmp_path / "7.json").write_text(PAGES)
    (tmp_path / "7.log.jsonl").write_text(LOG)
    return CheckRequest("Eels swim to the Sargasso Sea.", Sources(knowledge_store=tmp_path / "7.json"), "1-1-2020")


def like(models: Models, *without: str, **how: Any) -> Models:
    """Models that are chosen otherwise; those that are loaded already are taken over."""
    chosen = Models(ModelSettings(writer=WRITER, **how))
    models.load(Strategy.QUESTIONS)
    for part in {"verdict", "reader", "writer", "checker"} - set(without):
        vars(chosen)[part] = getattr(models, part)
    return chosen


@pytest.mark.parametrize("name", [name for name, one in RETRIEVERS.items() if not one.is_hybrid])
def test_another_retriever_finds_sentences_and_loads_no_encoder(
    name: str, check_request: CheckRequest, models: Models
) -> None:
    chosen = like(models, retriever=name)
    result = check_claim(check_request, models=chosen)
    assert "encoder" not in vars(chosen)
    texts = {"Eels swim to the Sargasso Sea.", "They spawn there in spring."}
    assert {one.sentence for one in result.sentences} == texts
    assert all(one.reason is None for one in result.sentences)
    assert {pair.answer for pair in result.prediction.evidence} <= texts
    assert result.prediction.evidence
    assert [bool(log.reason) for log in result.pages] == [False, True]


def test_likeness_asks_the_reranker_that_is_named(sample: Path, claims: list[Claim], models: Models) -> None:
    chosen = like(models, reranker="none", select=Select.LIKENESS)
    vars(chosen)["encoder"] = models.encoder
    stored = Sources(knowledge_store=sample / "knowledge_store" / "4.json")
    request = CheckRequest(claims[4].claim, stored, top_n=2, top_k=4, select=Select.LIKENESS)
    result = check_claim(request, models=chosen)
    assert len(result.prediction.evidence) == 2
    assert result.models["reranker"].startswith("all-MiniLM-L6-v2 (")
    assert "reranker" not in chosen.names(Strategy.QUESTIONS, Select.STANCE)


def test_the_reasons_of_a_language_model_are_the_justification(check_request: CheckRequest, models: Models) -> None:
    reasons = "[1] says that eels swim there.\nNothing speaks against it.\nVerdict: Supported"
    lines = [ScriptLine(REASONS_ROLE, reasons), ScriptLine(ROLE, [-0.1, -5.0, -4.0, -6.0])]  # asked once
    chosen = like(models, "verdict")
    vars(chosen)["encoder"] = models.encoder
    vars(chosen)["verdict"] = llm_verdict_model(ScriptedModel(lines))
    result = check_claim(check_request, models=chosen)
    assert (result.prediction.pred_label, result.prediction.level) == (Verdict.SUPPORTED, None)
    why = "Evidence 1 says that eels swim there. Nothing speaks against it."
    assert result.prediction.justification == result.explained.explanation == why
    assert result.explained.cites[0] == [1]
    assert result.prediction.probabilities is not None
    assert result.prediction.probabilities[Verdict.SUPPORTED] > 0.9
    assert "Why\n    Evidence 1 says that eels swim there. [1]" in described(result)


@pytest.mark.parametrize(("adapter", "adapters"), [(None, [None]), (Path("trained"), [None, Path("trained")])])
def test_a_language_model_judges_without_the_adapter_that_asks(
    adapter: Path | None, adapters: list[Path | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[Options] = []

    def load(spec: str, options: Options) -> ScriptedModel:
        loaded.append(options)
        return ScriptedModel([])

    monkeypatch.setattr("src.reranking.questions.flags.get_llm", load)
    chosen = Models(ModelSettings(writer=WriterSettings("hf:any", recipe="greedy"), verdict="llm"))
    chosen.chosen = replace(chosen.chosen, settings=replace(chosen.chosen.settings, adapter=adapter))
    assert isinstance(chosen.verdict, ReasonedVerdict)
    _ = chosen._llm
    assert [one.adapter for one in loaded] == adapters  # one model is loaded where one does both


def test_a_verdict_model_that_is_not_there_is_refused_before_pages_are_fetched() -> None:
    with pytest.raises(InputError, match=r"--verdict published: pretrained_models/bert_veracity.ckpt is not there"):
        Models(ModelSettings(verdict="published"))


def test_a_verdict_model_may_be_a_path(project_root: Path, models: Models) -> None:
    fresh = Models(ModelSettings(verdict=project_root / OURS))
    assert fresh.verdict.info.name == OURS.name


def test_verdict_and_stances_are_read_with_one_model_that_is_loaded_once(
    models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[Path] = []

    def load(folder: Path, *how: str | None) -> Classifier:
        loaded.append(folder)
        return load_reading(folder, *how)

    monkeypatch.setattr("src.check.models.load_reading", load)
    monkeypatch.setattr("src.prediction.verdicts.load_reading", load)
    fresh = Models()
    assert fresh.verdict.info.sha256 == fresh.reader.info.sha256 == models.reader.info.sha256
    assert loaded == [READER]


def test_a_stacker_with_a_model_of_its_own_is_a_check_s_reader_too(
    tmp_path: Path, models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / STACKER).write_bytes((STACKED / STACKER).read_bytes())
    (tmp_path / "reader").symlink_to(READER.absolute())
    loaded: list[Path] = []

    def load(folder: Path, *how: str | None) -> Classifier:
        loaded.append(folder)
        return load_reading(folder, *how)

    monkeypatch.setattr("src.check.models.load_reading", load)
    fresh = Models(ModelSettings(verdict=tmp_path))
    assert fresh.verdict.info.sha256 == fresh.reader.info.sha256 == models.reader.info.sha256
    assert loaded == [tmp_path / "reader"]
