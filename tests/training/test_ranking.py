"""Examples of a reranker, the step that trains it, and equal scores in training and in use."""

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
import torch

from src.models.evidence_rows import Row
from src.models.reranker import load_reranker
from src.models.trained import read_trained
from src.records import Answer, AnswerType, CandidateQA, CandidateQuestions, Claim, Question
from src.store import encode_list
from src.training import ranking
from src.training.classifier import all_logits
from src.training.evidence_pool import EvidencePool, Triple, candidates, hard_negatives, random_negatives, unlike
from src.training.ranking import LABELS, both_alike, ranking_scores
from src.training.results import read_results
from src.training.split import split_claims
from src.training.train_reranker import main
from tests.models.adapters import make_base
from tests.training.small_claims import claims, write_claims

POOL = EvidencePool(claims(12))


def test_gold_pairs_as_published() -> None:
    oster = "The town of Oster closed 3 schools in 1990."
    many, tax = "How many schools did Oster close in 1990", "Was a tax raised in Oster?"
    assert POOL.own[0] == [
        Triple(oster, many, "In 1990 the town closed 3 of its schools", True),
        Triple(oster, many, "Oster sold trams.", True),
        Triple(oster, tax, "Yes. The council of Oster raised the tax on 2 bridges.", True),
    ]


def test_random_negatives_change_one_thing_each() -> None:
    negatives = random_negatives(POOL, 3, seed=5)
    assert len(negatives) == 9 * len(POOL.pairs)
    assert negatives == random_negatives(POOL, 3, seed=5)
    assert negatives != random_negatives(POOL, 3, seed=6)
    gold = {pair[:3] for pair in POOL.pairs}
    changed: Counter[str] = Counter()
    for place, triple in enumerate(negatives):
        own = POOL.pairs[place // 9]
        changed["claim"] += triple.claim != own.claim
        changed["question"] += triple.question != own.question
        changed["answer"] += triple.answer != own.answer
        assert not triple.gold
        assert triple[:3] not in gold or triple[:3] == own[:3]
    assert set(changed) == {"claim", "question", "answer"}
    assert max(changed.values()) <= 3 * len(POOL.pairs)
    assert min(changed.values()) > 2.9 * len(POOL.pairs)


@pytest.mark.parametrize(
    ("answer", "is_negative"),
    [
        ("In 1990 the town closed three of its schools.", False),
        ("Schools closed.", False),
        ("A bridge was built by the army.", True),
        ("The school that was built in Marn has a garden, a pool and a library.", True),
    ],
)
def test_what_is_like_a_gold_answer_is_no_negative(answer: str, is_negative: bool) -> None:
    negatives = unlike([Triple("c", "q?", answer), Triple("c", "other?", answer.upper())], POOL.own[0][:1])
    assert len(negatives) == is_negative


def test_hard_negatives_come_from_all_kinds_in_turn() -> None:
    web = {0: [("Who built it?", "A bridge was built by the army."), ("Closed?", "In 1990 it closed 3 schools.")]}
    negatives = hard_negatives(POOL, web, each=2)
    own = [triple for triple in negatives if triple.claim == POOL.claims[0].claim]
    assert len(own) == 2 * len(POOL.own[0])
    assert own[0] == Triple(POOL.claims[0].claim, "Who built it?", "A bridge was built by the army.")
    assert "In 1990 it closed 3 schools." not in {triple.answer for triple in own}
    assert not any(triple.gold for triple in negatives)
    assert not {triple[:3] for triple in negatives} & {pair[:3] for pair in POOL.pairs}


def test_candidates_end_in_the_gold_pairs() -> None:
    ranked = candidates(POOL, {}, 0, most=8)
    assert len(ranked) == 8
    assert ranked[-3:] == POOL.own[0]
    assert {triple.claim for triple in ranked} == {POOL.claims[0].claim}
    assert [triple.gold for triple in ranked] == [False] * 5 + [True] * 3


def test_no_question_and_no_answer_give_no_pair() -> None:
    blank = Claim("Nothing here.", questions=[Question(" ", [Answer("Some")]), Question("Who?", [Answer(" ")])])
    nobody = Claim("Nobody knows.", questions=[Question("Who?", [Answer("None", AnswerType.UNANSWERABLE)])])
    pool = EvidencePool([blank, nobody, *claims(2)])
    assert pool.own[:2] == [[], []]
    assert hard_negatives(pool, {}, 2)[0].claim == claims(1)[0].claim


def test_ranking_scores_by_hand() -> None:
    """Gold pairs have ranks 1 and 4 for the first claim, and 2 for the second: equal scores count against gold."""
    gold, other = Triple("c", "q", "a", True), Triple("c", "q", "b")
    first, second = [other, other, gold, other, gold], [other, gold, other]
    scores = ranking_scores([first, second], [[0.1, 0.8, 0.9, 0.7, 0.7], [0.5, 0.5, 0.1]])
    assert scores == {"MRR": pytest.approx((1 + 1 / 2) / 2), "recall@3": pytest.approx((1 / 2 + 1) / 2)}


SMALL = ["--steps", "6", "--every", "3", "--batch", "8", "--rank", "2", "--alpha", "4"]
RANKED = ["--candidates", "6", "--scored", "3", "--ranked", "4", "--quiet"]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_base(tmp_path_factory.mktemp("bert") / "tiny", "bert")


def _train(folder: Path, base: Path, *more: str) -> int:
    output = ["-o", str(folder / "made"), "--results", str(folder / "results.jsonl")]
    return main(
        [
            "--train",
            str(write_claims(folder)),
            "--leave_out",
            "none",
            "--base",
            f"hf:{base}",
            *output,
            *SMALL,
            *RANKED,
            *more,
        ]
    )


def _held_out_scores(folder: Path) -> list[float]:
    """Return the scores of all held-out candidates by the trained folder, loaded as the reranking step loads it."""
    pool = EvidencePool(split_claims(claims()).held_out)
    ranked = [candidates(pool, {}, place, 6) for place, own in enumerate(pool.own) if own][:4]
    pairs = [[CandidateQA(pair.question, pair.answer, "") for pair in own] for own in ranked]
    candidate_questions = [CandidateQuestions(0, own[0].claim, shown) for own, shown in zip(ranked, pairs, strict=True)]
    return [score for own in load_reranker(folder).scores(candidate_questions) for score in own]


@pytest.mark.parametrize(
    ("flags", "layout"),
    [([], "claim_pairs"), (["--negatives", "published", "--published_text"], "published_text"), (["--rank", "0"], "")],
)
def test_it_leaves_a_reranker(
    flags: list[str], layout: str, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def recorded(model: Any, rows: Sequence[Row]) -> torch.Tensor:
        seen.append(all_logits(model, rows))
        return seen[-1]

    monkeypatch.setattr(ranking, "all_logits", recorded)
    assert _train(tmp_path, base, *flags) == 0
    made = tmp_path / "made"
    trained = read_trained(made, "reranker")
    assert trained.layout == (layout or "claim_pairs")
    assert trained.labels == LABELS
    assert {"MRR", "recall@3"} == set(trained.scores)
    assert {"chance: MRR", "chance: recall@3"} <= set(trained.baselines)
    assert (made / "adapter_config.json").exists() == ("--rank" not in flags)
    odds = (seen[-1][:, 1] - seen[-1][:, 0]).tolist()
    assert max(odds) - min(odds) > 0.1
    scores = _held_out_scores(made)
    if layout == "published_text":
        scores = [math.log(score / (1 - score)) for score in scores]
    assert scores == pytest.approx(odds, abs=0.05)
    (result,) = read_results(tmp_path / "results.jsonl")
    assert result.settings["options"]["random_each"] == (3 if "published" in flags else 1)


def test_published_negatives_count_as_much_as_all_evidence() -> None:
    assert both_alike([1, 0, 0, 0]) == pytest.approx([2, 2 / 3, 2 / 3, 2 / 3])


def test_two_runs_give_the_same_folder(base: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        assert _train(tmp_path / name, base) == 0
    weights = [(tmp_path / name / "made/adapter_model.safetensors").read_bytes() for name in ("one", "two")]
    assert weights[0] == weights[1]
    config = [(tmp_path / name / "made/adapter_config.json").read_bytes() for name in ("one", "two")]
    assert config[0] == config[1]


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--targets", "wheels"], "--targets wheels: "),
        (["--targets", "word_embeddings"], "--targets word_embeddings: not all of them are linear maps"),
        (["--results", "unasked.json"], "unasked.json, line 2, field run: missing"),
        (["--negatives", "hard", "--random_each", "5"], "--random_each changes nothing with --negatives hard"),
        (["--negatives", "published", "--hard_each", "9"], "--hard_each changes nothing with --negatives published"),
        (["--train", "unasked.json"], "no claim with a question and its answer to learn from"),
    ],
)
def test_what_is_refused(
    flags: list[str], message: str, base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    unasked = [msgspec.structs.replace(claim, questions=[]) for claim in claims()]
    (tmp_path / "unasked.json").write_bytes(encode_list(unasked))
    flags = [str(tmp_path / flag) if flag.endswith(".json") else flag for flag in flags]
    assert _train(tmp_path, base, *flags) == 2
    output = capsys.readouterr().err
    assert message in output
    assert len(output.splitlines()) == 1


def test_an_output_needs_a_name(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for output in (".", "made/.."):
        assert _train(tmp_path, base, "-o", output) == 2
        assert "is not the name of a folder to make" in capsys.readouterr().err


def test_a_results_file_that_takes_no_line_is_noticed_first(
    base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _train(tmp_path, base, "--results", str(tmp_path)) == 2
    assert f"cannot write {tmp_path}" in capsys.readouterr().err
    assert not (tmp_path / ".made.training").exists()
