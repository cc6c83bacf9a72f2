"""The verdict step from file to file: published format, claims without evidence, stopped runs, choice of the model."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from src.errors import InputError, ModelError
from src.llm.protocol import ModelInfo, Reply, Request
from src.models.classifier import Classifier
from src.models.entailment import load_reading
from src.models.veracity import Judgment
from src.prediction import veracity_prediction
from src.prediction.verdicts import OURS, Loading, load_verdict_model
from src.records import VERDICTS, Evidence, Level, Prediction, QAPair, Verdict
from src.runner import merge
from src.stance.readings import FEATURES
from src.stance.stacker import STACKER, StackedVerdict
from src.store import encode_lines, read_by_claim
from tests.models.adapters import make_base, make_trained
from tests.models.published_layout import published_content, write_checkpoint
from tests.stance.test_stacker import stacker
from tests.tiny_models import make_bert, make_causal, sentences

LINES = sentences()
OUTPUT = "data_store/dev_veracity_prediction.json"


class ByLength:
    """Language model for tests: the index of its label is the prompt's length modulo 4."""

    info = ModelInfo("length", "test", "length", can=frozenset({"label_tokens"}))

    def __init__(self, stop_at: int = -1, error: BaseException | None = None) -> None:
        self.stop_at, self.error = stop_at, error
        self.requests: list[Request] = []
        self.calls = 0

    def complete(self, requests: Sequence[Request]) -> list[Reply]:
        self.calls += 1
        if self.error is not None and self.calls - 1 == self.stop_at:
            raise self.error
        self.requests += requests
        return [self._reply(len(request.prompt) % 4) for request in requests]

    def _reply(self, best: int) -> Reply:
        scores = tuple(0.0 if place == best else -2.0 - place for place in range(4))
        return Reply(f" {VERDICTS[best]}", 30, 0, "choices", scores, "label_tokens")

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]


def evidence(claim_id: int) -> Evidence:
    pairs = [QAPair(f"{LINES[n * 20 + claim_id]}?", LINES[claim_id * 3 + n], f"u{n}") for n in range(claim_id % 3 + 1)]
    return Evidence(claim_id, LINES[claim_id], pairs)


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write the evidence of twenty claims at the published path; claim 3 has no evidence."""
    monkeypatch.chdir(tmp_path)
    claims = [evidence(claim_id) for claim_id in range(20)]
    claims[3].evidence.clear()
    (tmp_path / "data_store").mkdir()
    (tmp_path / "data_store" / "dev_top_3_rerank_qa.json").write_bytes(encode_lines(claims))
    return tmp_path


@pytest.fixture
def by_length(monkeypatch: pytest.MonkeyPatch) -> ByLength:
    model = ByLength()
    monkeypatch.setattr("src.pipeline.judge.get_llm", lambda spec, options: model)
    return model


def read(world: Path, name: str = OUTPUT) -> list[Prediction]:
    return read_by_claim(world / name, Prediction)


def manifest(world: Path, output: str = OUTPUT) -> Any:
    return msgspec.json.decode((world / output.replace(".json", ".manifest.json")).read_bytes())


def test_published_names_and_format(world: Path, by_length: ByLength) -> None:
    assert veracity_prediction.main([]) == 0
    text = (world / OUTPUT).read_text(encoding="utf-8")
    predictions = json.loads(text)
    assert text.startswith('[\n    {\n        "claim_id": 0,')
    assert list(predictions[0]) == ["claim_id", "claim", "evidence", "pred_label", "probabilities"]
    assert list(predictions[0]["probabilities"]) == list(VERDICTS)
    assert [claim["claim_id"] for claim in predictions] == list(range(20))
    assert predictions[5]["evidence"][0]["url"] == "u0"


def test_a_claim_without_evidence_stays_and_no_model_judges_it(world: Path, by_length: ByLength) -> None:
    assert veracity_prediction.main([]) == 0
    assert read(world)[3] == Prediction(3, LINES[3], [], Verdict.NOT_ENOUGH_EVIDENCE)
    assert not any(LINES[3] in request.prompt.splitlines()[0] for request in by_length.requests)
    assert manifest(world)["counts"] == {
        "prompts": 19,
        "prompt_tokens": 19 * 30,
        "answers_cut": 0,
        "unparsed": 0,
        "scored_by_label_tokens": 19,
        "no_evidence": 1,
    }


def test_garbage_is_not_enough_evidence_and_counted(
    world: Path, by_length: ByLength, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(by_length, "_reply", lambda best: Reply("banana", 30, 2, "eos"))
    assert veracity_prediction.main([]) == 0
    assert {claim.pred_label for claim in read(world)} == {Verdict.NOT_ENOUGH_EVIDENCE}
    assert all(claim.probabilities is None for claim in read(world))
    assert manifest(world)["counts"]["unparsed"] == 19


def test_ranges_join_to_the_whole(world: Path, by_length: ByLength) -> None:
    assert veracity_prediction.main([]) == 0
    assert veracity_prediction.main(["-o", "a.json", "-e", "11"]) == 0
    assert veracity_prediction.main(["-o", "b.json", "-s", "11"]) == 0
    assert read(world, "a.json") + read(world, "b.json") == read(world)
    assert not any("cuts such a batch" in note for note in manifest(world, "a.json")["notes"])
    assert any("cuts such a batch" in note for note in manifest(world, "b.json")["notes"])


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_shards_cut_between_batches_merge_to_the_bytes_of_one_run(
    world: Path, tmp_path_factory: pytest.TempPathFactory, dtype: str
) -> None:
    model = ["--llm", f"hf:{make_causal(tmp_path_factory.mktemp('model') / 'tiny')}", "--dtype", dtype]
    assert veracity_prediction.main(["-o", "whole.json", *model]) == 0
    assert veracity_prediction.main(["-o", "cut.json", "--shard", "0/2", *model]) == 0
    assert veracity_prediction.main(["-o", "cut.json", "--shard", "1/2", *model]) == 0
    assert merge.main(["cut.json"]) == 0
    assert (world / "cut.json").read_bytes() == (world / "whole.json").read_bytes()
    assert len({claim.pred_label for claim in read(world, "cut.json")}) > 1


@pytest.mark.parametrize(("error", "code"), [(KeyboardInterrupt(), 130), (InputError("disk on fire"), 2)])
def test_a_stopped_run_goes_on_to_the_same_bytes(
    world: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int
) -> None:
    first, again = ByLength(stop_at=1, error=error), ByLength()
    monkeypatch.setattr("src.pipeline.judge.get_llm", lambda spec, options: first)
    assert veracity_prediction.main(["-o", "out.json"]) == code
    assert not (world / "out.json").exists()
    monkeypatch.setattr("src.pipeline.judge.get_llm", lambda spec, options: again)
    assert veracity_prediction.main(["-o", "out.json"]) == 0
    assert len(again.requests) == 10  # the first batch of ten claims was kept
    assert veracity_prediction.main(["-o", "whole.json"]) == 0
    assert (world / "out.json").read_bytes() == (world / "whole.json").read_bytes()


def test_a_model_that_fails_for_one_claim_leaves_the_others(
    world: Path, by_length: ByLength, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = by_length.complete

    def complete(requests: Sequence[Request]) -> list[Reply]:
        if any(request.prompt.startswith(f"Claim: {LINES[7]}\n") for request in requests):
            raise ModelError("overloaded")
        return answer(requests)

    monkeypatch.setattr(by_length, "complete", complete)
    assert veracity_prediction.main([]) == 1
    failed = read(world)[7]
    assert failed == Prediction(7, LINES[7], evidence(7).evidence, Verdict.NOT_ENOUGH_EVIDENCE)
    assert len(by_length.requests) == 18


def test_the_published_checkpoint_is_used_where_it_stands(
    world: Path, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    bert = make_bert(tmp_path_factory.mktemp("bert") / "four", num_labels=4)
    words = world / "pretrained_models" / "all-MiniLM-L6-v2" / "vocab.txt"
    words.parent.mkdir(parents=True)
    words.write_bytes((bert / "vocab.txt").read_bytes())
    write_checkpoint(world / "pretrained_models" / "bert_veracity.ckpt", published_content(bert))
    assert veracity_prediction.main([]) == 0
    assert "note: judged by pretrained_models/bert_veracity.ckpt, which is there" in capsys.readouterr().out
    assert manifest(world)["model"]["name"] == "bert_veracity.ckpt"
    assert manifest(world)["counts"] == {"texts": sum(len(c.evidence) for c in read(world)), "no_evidence": 1}
    assert read(world)[3].pred_label == Verdict.NOT_ENOUGH_EVIDENCE
    assert "probabilities" not in (world / OUTPUT).read_text(encoding="utf-8")


def test_our_model_is_the_default_where_it_stands(world: Path, tmp_path: Path) -> None:
    folder = world / "pretrained_models" / "adapters" / "veracity"
    make_trained(folder, make_base(tmp_path / "base", "bert"), "veracity")
    assert veracity_prediction.main(["--device", "cpu"]) == 0
    made = manifest(world)
    assert (made["model"]["name"], made["model"]["engine"], made["notes"]) == ("veracity", "torch", [])
    assert made["model"]["sha256"] == made["fingerprint"]["inputs"]["best_checkpoint"]["sha256"]
    assert made["fingerprint"]["inputs"]["best_checkpoint_record"]["path"].endswith("training.json")
    assert made["counts"] == {"texts": 19, "no_evidence": 1}
    assert read(world)[3] == Prediction(3, LINES[3], [], Verdict.NOT_ENOUGH_EVIDENCE)
    sums = [sum((claim.probabilities or {}).values()) for claim in read(world) if claim.evidence]
    assert sums == [pytest.approx(1, abs=1e-5)] * 19
    assert veracity_prediction.main(["-ckpt", str(folder), "--device", "abacus", "-o", "other.json"]) == 2
    assert veracity_prediction.main(["-ckpt", str(folder), "-o", "named.json"]) == 0
    assert (world / "named.json").read_bytes() == (world / OUTPUT).read_bytes()
    (world / "pretrained_models" / "bert_veracity.ckpt").write_bytes(b"wins, and cannot be read")
    assert veracity_prediction.main(["-o", "other.json"]) == 2


def test_verdicts_are_given_anew_when_another_run_of_the_model_stands_beside_it(
    world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, base = world / "pretrained_models" / "adapters" / "veracity", make_base(tmp_path / "base", "bert")
    make_trained(folder, base, "veracity")
    assert veracity_prediction.main([]) == 0
    before = read(world)
    assert veracity_prediction.main([]) == 0
    assert read(world) == before
    make_trained(folder / "seed_1", base, "veracity", seed=1)
    assert veracity_prediction.main([]) == 0
    after = read(world)
    assert "best_checkpoint_seed_1" in manifest(world)["fingerprint"]["inputs"]
    assert all(
        one.probabilities != other.probabilities for one, other in zip(before, after, strict=True) if one.evidence
    )


def test_a_named_model_wins_over_the_published_checkpoint(
    world: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    (world / "pretrained_models").mkdir()
    (world / "pretrained_models" / "bert_veracity.ckpt").write_bytes(b"never opened")
    tiny = make_causal(tmp_path_factory.mktemp("models") / "tiny")
    assert veracity_prediction.main(["--llm", f"hf:{tiny}"]) == 0
    assert manifest(world)["model"]["engine"] == "transformers"
    assert manifest(world)["counts"]["prompts"] == 19


def test_verdict_takes_a_path_as_best_checkpoint_does(world: Path, tmp_path: Path) -> None:
    make_trained(world / "mine", make_base(tmp_path / "base", "bert"), "veracity")
    assert veracity_prediction.main(["-ckpt", "mine"]) == 0
    assert veracity_prediction.main(["--verdict", "mine", "-o", "named.json"]) == 0
    assert (world / "named.json").read_bytes() == (world / OUTPUT).read_bytes()
    assert manifest(world, "named.json")["fingerprint"] == manifest(world)["fingerprint"]


def test_verdict_takes_a_name(world: Path, tmp_path: Path) -> None:
    make_trained(world / OURS, make_base(tmp_path / "base", "bert"), "veracity")
    assert veracity_prediction.main(["--verdict", "trained"]) == 0
    assert manifest(world)["model"]["name"] == "veracity"


def test_verdict_llm_is_the_model_of_llm(world: Path, by_length: ByLength) -> None:
    assert veracity_prediction.main(["--verdict", "llm", "--llm", "scripted:any"]) == 2  # its file is an input
    assert veracity_prediction.main(["--verdict", "llm"]) == 0
    assert manifest(world)["model"]["name"] == "length"


def stacked(world: Path, tmp_path: Path) -> None:
    """Write a stacker to the folder `mine`, with the model that it was fitted on."""
    make_trained(world / "mine" / "reader", make_base(tmp_path / "base", "bert"), "veracity")
    own = str(load_reading(world / "mine" / "reader").info.sha256)
    (world / "mine" / STACKER).write_bytes(msgspec.json.encode(replace(stacker(), readers=(own,))))


def test_a_stacker_judges_with_the_model_beside_it(world: Path, tmp_path: Path) -> None:
    stacked(world, tmp_path)
    assert veracity_prediction.main(["--verdict", "mine"]) == 0
    assert manifest(world)["model"]["name"] == "mine"
    assert manifest(world)["fingerprint"]["inputs"]["reader"]["path"].startswith("mine/reader/")
    assert all(claim.level for claim in read(world))


def test_a_second_reader_is_an_input_of_the_verdict(
    world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stacked(world, tmp_path)
    mine = world / "mine"
    make_trained(mine / "second_reader", make_base(tmp_path / "other", "bert"), "veracity", seed=1)
    assert veracity_prediction.main(["--verdict", "mine"]) == 2
    assert "has one reader, but mine/second_reader is there" in capsys.readouterr().err
    numbers = (1.0,) * 2 * len(FEATURES)
    hashes = [str(load_reading(mine / name).info.sha256) for name in ("reader", "second_reader")]
    fitted = replace(
        stacker(), readers=tuple(hashes), means=numbers, scales=numbers, weights=(numbers,) * len(VERDICTS)
    )
    (mine / STACKER).write_bytes(msgspec.json.encode(fitted))
    assert veracity_prediction.main(["--verdict", "mine"]) == 0
    written = manifest(world)
    assert written["fingerprint"]["inputs"]["second_reader"]["path"].startswith("mine/second_reader/")
    assert written["model"]["details"]["second_reader_sha256"] == hashes[1]

    loaded = load_reading(mine / "reader")
    calls: list[str] = []

    def reading() -> Classifier:
        calls.append("reader")
        return loaded

    model = load_verdict_model(mine, Loading(reading=reading))
    assert calls == ["reader"]  # the second one is loaded from its folder
    assert model.info.details["second_reader_sha256"] == hashes[1]


def test_a_claim_that_no_model_with_levels_judged_is_undecided(
    world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stacked(world, tmp_path)
    answer = StackedVerdict.judge

    def judge(model: StackedVerdict, claims: Sequence[Evidence]) -> list[Judgment]:
        if any(claim.claim_id == 7 for claim in claims):
            raise ModelError("overloaded")
        return answer(model, claims)

    monkeypatch.setattr(StackedVerdict, "judge", judge)
    assert veracity_prediction.main(["--verdict", "mine"]) == 1
    without_evidence, failed = (read(world)[place] for place in (3, 7))
    for one in (without_evidence, failed):
        assert (one.level, one.verdict_set) == (Level.UNDECIDED, list(VERDICTS))
        assert (one.pred_label, one.probabilities) == (Verdict.NOT_ENOUGH_EVIDENCE, None)


def test_a_message_on_the_verdict_model_names_the_flag_that_was_given(
    world: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = "stacked, careful, trained, published, llm"
    bring = "bring it with: bash script/download.sh dev checkpoints"
    for flags, message in (
        (["--verdict", "trained", "--llm", "smollm2"], "--verdict and --llm name two models; give one of them"),
        (["--verdict", "llm", "-ckpt", "x"], "--best_checkpoint and --verdict name two models; give one of them"),
        (["-ckpt", "x", "--llm", "smollm2"], "--best_checkpoint and --llm name two models; give one of them"),
        (
            ["--verdict", "published"],
            f"--verdict published: pretrained_models/bert_veracity.ckpt is not there; {bring}",
        ),
        (["--verdict", "nope"], f"--verdict nope: no such checkpoint or folder, and none of the names {names}"),
        (["--verdict", "a/b"], f"--verdict a/b: no such checkpoint or folder, and none of the names {names}"),
    ):
        assert veracity_prediction.main(flags) == 2
        assert capsys.readouterr().err == f"error: {message}\n"


def test_bad_input_is_one_line_and_code_2(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (world / "twice.json").write_bytes(encode_lines([evidence(0), evidence(0)]))
    (world / "wrong.json").write_text('{"claim_id": 0, "claim": "c", "evidence": [{"question": "q"}]}\n')
    (world / "empty.json").write_bytes(b"")
    two = make_bert(world / "two", num_labels=2)
    for flags, message in (
        (["-i", "absent.json"], "written by: src.reranking.rerank_questions"),
        (["-i", "twice.json"], "twice.json, line 2, field claim_id"),
        (["-i", "wrong.json"], "wrong.json, line 1, field evidence[0].answer: missing"),
        (["-ckpt", "absent.ckpt"], "absent.ckpt: no such checkpoint"),
        (["-ckpt", str(two)], "has 2 classes, 4 are needed"),
        (["-ckpt", str(two), "--llm", "smollm2"], "name two models"),
        (["-ckpt", str(two), "--slots", "7"], "--slots goes with --llm"),
        (["-i", "empty.json"], "empty.json: holds no claims"),
        (["--llm", "banana"], "unknown model 'banana'"),
    ):
        assert veracity_prediction.main(flags) == 2
        assert message in capsys.readouterr().err


def test_a_dry_run_writes_nothing(world: Path, by_length: ByLength, capsys: pytest.CaptureFixture[str]) -> None:
    assert veracity_prediction.main(["--dry_run"]) == 0
    assert "prompts  19" in capsys.readouterr().out
    assert not (world / OUTPUT).exists()
