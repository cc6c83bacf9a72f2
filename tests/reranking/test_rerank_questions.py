"""The reranking step from file to file, with tiny models and a stand-in that counts words in common."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from src.errors import InputError
from src.llm.protocol import ModelInfo
from src.records import CandidateQA, CandidateQuestions, Evidence
from src.reranking import rerank_questions
from src.runner import merge
from src.store import encode_lines, read_by_claim
from tests.models.adapters import make_base, make_trained
from tests.models.published_layout import published_content, write_checkpoint
from tests.tiny_models import make_bert, sentences

LINES = sentences()


class WordsInCommon:
    """A reranker for tests: how many words of the claim a pair holds."""

    info = ModelInfo("words", "test", "words in common", deterministic=True)

    def __init__(self, stop_at: int = -1, error: BaseException | None = None) -> None:
        self.stop_at, self.error, self.calls = stop_at, error, 0

    def scores(self, claims: Sequence[CandidateQuestions]) -> list[list[float]]:
        self.calls += 1
        if self.error is not None and self.calls - 1 == self.stop_at:
            raise self.error
        return [[self._score(claim.claim, pair) for pair in claim.bm25_qau] for claim in claims]

    def _score(self, claim: str, pair: CandidateQA) -> float:
        return float(len(set(claim.split()) & set(f"{pair.question} {pair.answer}".split())))


def candidates(claim_ids: Iterable[int]) -> list[CandidateQuestions]:
    return [
        CandidateQuestions(
            claim_id,
            LINES[claim_id],
            [CandidateQA(f"{LINES[n + claim_id]}?", LINES[n // 2], f"https://x.example/{n}") for n in range(0, 60, 7)],
        )
        for claim_id in claim_ids
    ]


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Twenty claims at the published place; claim 3 has no candidates."""
    monkeypatch.chdir(tmp_path)
    claims = candidates(range(20))
    claims[3].bm25_qau.clear()
    (tmp_path / "data_store").mkdir()
    (tmp_path / "data_store" / "dev_top_k_qa.json").write_bytes(encode_lines(claims))
    return tmp_path


@pytest.fixture
def by_words(monkeypatch: pytest.MonkeyPatch) -> WordsInCommon:
    reranker = WordsInCommon()
    monkeypatch.setattr("src.pipeline.select.load_reranker", lambda *how: reranker)
    return reranker


def read(world: Path, name: str = "data_store/dev_top_3_rerank_qa.json") -> list[Evidence]:
    return read_by_claim(world / name, Evidence)


def manifest(world: Path) -> dict[str, Any]:
    record: dict[str, Any] = msgspec.json.decode(
        (world / "data_store" / "dev_top_3_rerank_qa.manifest.json").read_bytes()
    )
    return record


def test_published_names_and_format(world: Path, by_words: WordsInCommon) -> None:
    assert rerank_questions.main([]) == 0
    lines = (world / "data_store" / "dev_top_3_rerank_qa.json").read_text(encoding="utf-8").splitlines()
    first = json.loads(lines[0])
    assert list(first) == ["claim_id", "claim", "evidence"]
    assert [list(pair) for pair in first["evidence"]] == [["question", "answer", "url"]] * 3
    assert [json.loads(line)["claim_id"] for line in lines] == list(range(20))
    assert json.loads(lines[3]) == {"claim_id": 3, "claim": LINES[3], "evidence": []}
    assert manifest(world)["counts"] == {"pairs": 19 * 9, "no_evidence": 1}
    assert manifest(world)["model"]["name"] == "words in common"


def test_best_first_and_no_answer_twice(world: Path, by_words: WordsInCommon) -> None:
    assert rerank_questions.main(["--top_n", "5"]) == 0
    for claim in read(world):
        scores = [by_words._score(claim.claim, CandidateQA(p.question, p.answer, "")) for p in claim.evidence]
        assert scores == sorted(scores, reverse=True)
        assert len({pair.answer for pair in claim.evidence}) == len(claim.evidence)


def test_duplicates_are_kept_on_request(world: Path, by_words: WordsInCommon) -> None:
    pairs = [CandidateQA(f"Q{n}?", "The same answer", "u") for n in range(4)]
    (world / "in.json").write_bytes(encode_lines([CandidateQuestions(0, "same", pairs)]))
    assert rerank_questions.main(["-i", "in.json", "-o", "one.json"]) == 0
    assert rerank_questions.main(["-i", "in.json", "-o", "three.json", "--duplicates", "keep"]) == 0
    assert [pair.question for pair in read(world, "one.json")[0].evidence] == ["Q0?"]
    assert [pair.question for pair in read(world, "three.json")[0].evidence] == ["Q0?", "Q1?", "Q2?"]


def test_ranges_join_to_the_whole(world: Path, by_words: WordsInCommon) -> None:
    assert rerank_questions.main(["-o", "whole.json"]) == 0
    assert rerank_questions.main(["-o", "a.json", "-s", "0", "-e", "7"]) == 0
    assert rerank_questions.main(["-o", "b.json", "-s", "7"]) == 0
    assert (world / "a.json").read_bytes() + (world / "b.json").read_bytes() == (world / "whole.json").read_bytes()


def test_merged_shards_are_the_undivided_run(world: Path, by_words: WordsInCommon) -> None:
    assert rerank_questions.main(["-o", "whole.json"]) == 0
    assert [rerank_questions.main(["-o", "cut.json", "--shard", f"{number}/3"]) for number in range(3)] == [0, 0, 0]
    assert merge.main(["cut.json"]) == 0
    assert (world / "cut.json").read_bytes() == (world / "whole.json").read_bytes()


@pytest.mark.parametrize(("error", "code"), [(KeyboardInterrupt(), 130), (InputError("disk on fire"), 2)])
def test_a_stopped_run_goes_on_to_the_same_bytes(
    world: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int
) -> None:
    reranker = WordsInCommon(stop_at=1, error=error)
    monkeypatch.setattr("src.pipeline.select.load_reranker", lambda *how: reranker)
    assert rerank_questions.main(["-o", "out.json"]) == code
    assert not (world / "out.json").exists()
    again = WordsInCommon()
    monkeypatch.setattr("src.pipeline.select.load_reranker", lambda *how: again)
    assert rerank_questions.main(["-o", "out.json"]) == 0
    assert again.calls == 1  # of two batches the first was kept
    assert rerank_questions.main(["-o", "whole.json"]) == 0
    assert (world / "out.json").read_bytes() == (world / "whole.json").read_bytes()


def test_the_published_checkpoint_is_used_where_it_stands(
    world: Path, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    bert = make_bert(tmp_path_factory.mktemp("bert") / "two")
    words = world / "pretrained_models" / "all-MiniLM-L6-v2" / "vocab.txt"
    words.parent.mkdir(parents=True)
    words.write_bytes((bert / "vocab.txt").read_bytes())
    write_checkpoint(world / "pretrained_models" / "bert_dual_encoder.ckpt", published_content(bert))
    assert rerank_questions.main([]) == 0
    assert "note: ranked by pretrained_models/bert_dual_encoder.ckpt, which is there" in capsys.readouterr().out
    assert manifest(world)["model"]["name"] == "bert_dual_encoder.ckpt"
    assert manifest(world)["fingerprint"]["inputs"]["best_checkpoint"]["sha256"] == manifest(world)["model"]["sha256"]


@pytest.mark.parametrize("flag", [["--dtype", "float32"], ["--device", "cpu"]])
def test_the_cosine_has_no_format_and_no_device(
    world: Path, capsys: pytest.CaptureFixture[str], flag: list[str]
) -> None:
    assert rerank_questions.main(["-ckpt", "none", *flag]) == 2
    assert capsys.readouterr().err == f"error: {flag[0]} changes nothing: the cosine ranks\n"


def test_our_model_is_the_default_where_it_stands(world: Path, tmp_path: Path) -> None:
    folder = world / "pretrained_models" / "adapters" / "reranker"
    make_trained(folder, make_base(tmp_path / "base", "bert"), "reranker", labels=["no", "yes"])
    assert rerank_questions.main([]) == 0
    made = manifest(world)
    assert (made["model"]["name"], made["arguments"]["duplicates"]) == ("reranker", "drop")
    assert made["model"]["sha256"] == made["fingerprint"]["inputs"]["best_checkpoint"]["sha256"]
    assert made["notes"] == []


def test_the_cosine_ranks_on_request_or_without_a_checkpoint(world: Path, minilm: Path) -> None:
    (world / "pretrained_models").mkdir()
    (world / "pretrained_models" / "all-MiniLM-L6-v2").symlink_to(minilm / "all-MiniLM-L6-v2")
    assert rerank_questions.main(["-o", "alone.json"]) == 0
    (world / "pretrained_models" / "bert_dual_encoder.ckpt").write_bytes(b"never opened")
    assert rerank_questions.main(["-ckpt", "none"]) == 0
    assert (world / "alone.json").read_bytes() == (world / "data_store" / "dev_top_3_rerank_qa.json").read_bytes()
    assert manifest(world)["model"]["name"] == "all-MiniLM-L6-v2"
    assert all(len(claim.evidence) == 3 for claim in read(world) if claim.claim_id != 3)


def test_bad_input_is_one_line_and_code_2(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    twice = world / "twice.json"
    twice.write_bytes(encode_lines(candidates([0, 1, 0])))
    wrong = world / "wrong.json"
    wrong.write_text('{"claim_id": 0, "claim": "c", "bm25_qau": [["q", "a"]]}\n', encoding="utf-8")
    for flags, message in (
        (["-i", "absent.json"], "it is written by: src.reranking.question_generation_top_sentences"),
        (["-i", "twice.json"], "twice.json, line 3, field claim_id: claim_id 0 is already on line 1"),
        (["-i", "wrong.json"], "wrong.json, line 1, field bm25_qau[0]"),
        (["-ckpt", "absent.ckpt"], "error: reranker absent.ckpt: no such checkpoint"),
        (["-s", "5", "-e", "5"], "--end 5: must be above 5 (--start)"),
    ):
        assert rerank_questions.main(flags) == 2
        assert message in capsys.readouterr().err
