"""A check by one call: a scripted language model on the pages of the sample."""

import json
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from src.check import CheckRequest, Models, ModelSettings, Sources, Stage, Strategy, __main__, check_claim
from src.check.records import ProgressEvent
from src.errors import InputError, ModelError
from src.llm import get_llm
from src.llm.scripted_backend import ScriptedModel
from src.one_call.caller import OneCall
from src.one_call.verdict import Calibration
from src.records import VERDICTS, Level, Verdict
from src.reranking.questions.flags import WriterSettings
from src.stance.levels import Levels, Limits
from tests.runner.small_world import write_script

OPEN = {"supported": 1, "refuted": 1, "not_enough_evidence": 5, "conflicting_evidence_or_cherrypicking": 1}
AGREEMENT = {"supported": 1, "refuted": 5, "not_enough_evidence": 1, "conflicting_evidence_or_cherrypicking": 1}


def checked_by(folder: Path, sample: Path, *replies: object) -> tuple[CheckRequest, Models]:
    texts = [reply if isinstance(reply, str) else json.dumps(reply) for reply in replies]
    llm = write_script(folder / "script.jsonl", {"one_call": texts})
    store = Sources(knowledge_store=sample / "knowledge_store" / "9.json")
    claim = "The water of Hexley Bay turned red because of a leak at the Varn copper works."
    request = CheckRequest(claim, store, strategy=Strategy.ONE_CALL, top_n=1, top_k=3)
    return request, Models(ModelSettings(writer=WriterSettings(llm=llm)))


@pytest.mark.usefixtures("minilm")
def test_evidence_and_verdict_are_those_of_the_reply(tmp_path: Path, sample: Path) -> None:
    request, models = checked_by(tmp_path, sample, "no", {})
    with pytest.raises(ModelError, match="no reply of the model can be used: its JSON is not as described"):
        check_claim(request, models=models)

    request, models = checked_by(tmp_path, sample, "no", {"questions": [], "justification": [], "agreement": OPEN})
    result = check_claim(request, models=models)
    first = result.sentences[0]
    assert (result.prediction.pred_label, result.prediction.level) == (Verdict.NOT_ENOUGH_EVIDENCE, None)
    assert len(result.sentences) == 3
    assert Stage.CALL in result.seconds
    assert list(result.models) == ["encoder", "caller", "reader"]

    pair = {"source": 1, "quote": first.sentence, "question": "What turned the water red?", "answer": "It was a bloom."}
    reasons = [{"sentence": "The water turned red for another reason.", "sources": [1]}]
    reply = {"questions": [pair, pair | {"answer": "A leak."}], "justification": reasons, "agreement": AGREEMENT}
    request, models = checked_by(tmp_path, sample, reply)
    result = check_claim(request, models=models)
    assert [(one.answer, one.url) for one in result.prediction.evidence] == [("It was a bloom.", first.url)]
    assert result.prediction.pred_label is Verdict.REFUTED
    assert len(result.stances) == 1
    assert result.explained.cites


@pytest.mark.parametrize(
    "flags", [["--verdict", "trained"], ["--select", "likeness"], ["--recipe", "greedy"], ["--num_beams", "2"]]
)
def test_what_one_call_does_not_read_is_refused(flags: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert __main__.main(["Eels swim.", "--knowledge_store", "none.json", "--strategy", "one_call", *flags]) == 2
    assert capsys.readouterr().err == f"error: {flags[0]} changes nothing with --strategy one_call\n"


def test_no_reply_at_all_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["--knowledge_store", "none.json", "--strategy", "one_call", "--samples", "0"]
    assert __main__.main(["Eels swim.", *flags]) == 2
    assert "at least 1" in capsys.readouterr().err


def test_the_default_model_of_questions_does_not_answer_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr("src.check.models.lacking", lambda llm, **_: asked.append(llm))
    request = CheckRequest("Eels swim.", Sources(urls=("https://page.example",)), strategy=Strategy.ONE_CALL)
    for llm in ("", "gguf:m.gguf", "smollm2"):
        Models(ModelSettings(writer=WriterSettings(llm=llm))).refuse(request)
    assert asked == ["qwen2.5-coder-1.5b", "gguf:m.gguf", "smollm2"]


def test_a_large_model_is_asked_for_as_much_as_by_the_step(monkeypatch: pytest.MonkeyPatch, sample: Path) -> None:
    pages = ["Eels swim.", "--knowledge_store", str(sample / "knowledge_store" / "9.json"), "--strategy", "one_call"]
    asked: list[int] = []

    def stop(request: CheckRequest, *, models: Models, **_: object) -> None:
        asked.extend([request.top_k, models.most_pairs(request), models.caller.num_examples])
        raise InputError("enough")

    monkeypatch.setattr(__main__, "check_claim", stop)
    monkeypatch.setattr("src.check.call_model.get_llm", lambda spec, options: ScriptedModel([]))
    for flags in ([], ["--llm", "smollm2"], ["--llm", "openai:m"], ["--llm", "openai:m", "--top_n", "2"]):
        assert __main__.main([*pages, *flags]) == 2
    assert asked == [10, 5, 3, 10, 5, 3, 10, 10, 10, 10, 2, 10]


@pytest.mark.usefixtures("minilm")
@pytest.mark.parametrize(("top_n", "pairs"), [(None, 10), (2, 2)])
def test_a_large_model_is_asked_for_ten_pairs(
    top_n: int | None, pairs: int, tmp_path: Path, sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def no_answer(caller: OneCall, claims: object) -> None:
        asked.append(caller.pairs)
        raise ModelError("enough")

    monkeypatch.setattr(OneCall, "check_all", no_answer)
    request, models = checked_by(tmp_path, sample, "no")
    with pytest.raises(ModelError, match="enough"):
        check_claim(replace(request, top_n=top_n), models=models)
    assert asked == [pairs]


def calibration_of(models: Models, folder: Path, **settings: int) -> Path:
    """Write a calibration for one source, no example and one sample, unless `settings` names other numbers."""
    info, prompt = get_llm(models.settings.writer.llm).info, OneCall(ScriptedModel([]), pairs=1).prompt_hash
    numbers = {"sources": 3, "num_examples": 0, "samples": 1, "top_n": 1} | settings
    levels = Levels(limits={Verdict.REFUTED: Limits(firm=0.6)}, least=0.1, alpha=0.1, claims=50)
    path = folder / "calibration.json"
    fitted = Calibration(info.name, info.sha256, prompt, numbers, 1.0, (0.0, 0.0, 0.0, 0.0), levels)
    path.write_bytes(msgspec.json.encode(fitted))
    return path


@pytest.mark.usefixtures("minilm")
def test_a_calibration_gives_levels_and_is_refused_for_other_numbers(tmp_path: Path, sample: Path) -> None:
    pair = {"source": 1, "quote": "", "question": "What turned the water red?", "answer": "It was a bloom."}
    request, models = checked_by(tmp_path, sample, "no", {"questions": [], "justification": [], "agreement": OPEN})
    pair["quote"] = check_claim(request, models=models).sentences[0].sentence
    request, models = checked_by(tmp_path, sample, {"questions": [pair], "justification": [], "agreement": AGREEMENT})
    writer = replace(models.settings.writer, num_examples=0)

    settings = ModelSettings(writer=writer, calibration=calibration_of(models, tmp_path))
    prediction = check_claim(request, models=Models(settings)).prediction
    assert (prediction.pred_label, prediction.level) == (Verdict.REFUTED, Level.FIRM)

    settings = ModelSettings(writer=writer, calibration=calibration_of(models, tmp_path, sources=10))
    begun: list[ProgressEvent] = []
    with pytest.raises(InputError, match="fitted for --sources 10, not for 3"):
        check_claim(request, models=Models(settings), tell=begun.append)
    assert begun == []  # no page is read


def test_a_calibration_goes_with_one_call(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(tmp_path / "none.json")
    assert __main__.main(["Eels swim.", "--knowledge_store", "none.json", "--calibration", file]) == 2
    assert capsys.readouterr().err == "error: --calibration goes with --strategy one_call\n"
    flags = ["--strategy", "one_call", "--calibration", file]
    assert __main__.main(["Eels swim.", "--knowledge_store", "none.json", *flags]) == 2
    assert f"error: {file}: " in capsys.readouterr().err


@pytest.mark.usefixtures("minilm")
def test_with_the_default_model_a_claim_is_undecided(
    tmp_path: Path, sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request, models = checked_by(tmp_path, sample, {"questions": [], "justification": [], "agreement": OPEN})
    monkeypatch.setattr("src.check.one_call_strategy.is_small", lambda llm: True)
    vars(models)["caller"] = OneCall(get_llm(models.settings.writer.llm))
    prediction = check_claim(request, models=models).prediction
    assert (prediction.level, prediction.verdict_set) == (Level.UNDECIDED, list(VERDICTS))
    assert prediction.probabilities is not None
