"""Published predictions on the dev split score as published: Q and Q+A to 1e-12, the rest to the digits given."""

from pathlib import Path

import pytest

from src.evaluation.aggregate import Scores
from src.evaluation.averitec import Gold
from src.evaluation.scoreboard import Scoreboard, evaluate
from src.prediction.prediction_files import join, read_guesses
from src.records import Claim

pytestmark = pytest.mark.long

# file: macro-F1 and accuracy as its authors' verdicts give them; Q+A as first measured here
OTHERS = {
    "hero_dev_veracity_prediction_70b.jsonl.gz": (0.459, 0.726, 0.34028829852806103),
    "uhh_approach_1_llm1_top3.jsonl.gz": (0.320, 0.426, 0.23620565898423768),
    "uhh_approach_2_llm1_top3.jsonl.gz": (0.326, 0.420, 0.23552941158253352),
    "uhh_approach_1_llm1_top10.jsonl.gz": (0.312, 0.462, 0.2980774982837955),
    "aic_qwen3_dev.csv.gz": (0.449, 0.680, 0.2807453591270052),
    "fever8_baseline_submission.csv.gz": (0.429, 0.694, 0.3637305429016378),
    "xplainlp_submission.csv.gz": (0.366, 0.718, 0.3428086441270798),
}


@pytest.fixture
def board(request: pytest.FixtureRequest, averitec: Path, dev_claims: list[Claim], dev_golds: list[Gold]) -> Scoreboard:
    name, with_baselines = request.param
    path = averitec / "peers" / name
    return evaluate(dev_golds, join(dev_claims, read_guesses(path), path), with_baselines=with_baselines, seed=None)


def levels(table: Scores[float], *names: str) -> list[float]:
    return [table.averitec[name] for name in names]


@pytest.mark.parametrize("board", [("official_baseline_dev_veracity_prediction.jsonl.gz", False)], indirect=True)
def test_official_baseline(board: Scoreboard) -> None:
    assert board.n == 500
    assert board.question_only == pytest.approx(0.24041210604919014, abs=1e-12)
    assert board.question_answer == pytest.approx(0.18547341231661782, abs=1e-12)
    assert levels(board, "0.2", "0.25", "0.3") == pytest.approx([0.186, 0.092, 0.050])
    assert board.veracity["macro"] == pytest.approx(0.321090, abs=5e-7)
    assert board.veracity["acc"] == pytest.approx(0.546)


@pytest.mark.parametrize("board", [("hero_dev_veracity_prediction_8b.jsonl.gz", True)], indirect=True)
def test_hero_and_its_baselines(board: Scoreboard) -> None:
    assert board.question_only == pytest.approx(0.49055404686703824, abs=1e-12)
    assert board.question_answer == pytest.approx(0.34028829852806103, abs=1e-12)
    assert levels(board, "0.2", "0.25", "0.3") == pytest.approx([0.624, 0.526, 0.406])
    assert board.veracity["macro"] == pytest.approx(0.408727, abs=5e-7)
    assert board.veracity["acc"] == pytest.approx(0.702)
    assert board.baselines is not None
    refuted, asking = board.baselines.always_refuted, board.baselines.claim_as_question
    assert (refuted.question_only, refuted.question_answer) == (board.question_only, board.question_answer)
    assert [refuted.veracity["macro"], refuted.veracity["acc"]] == pytest.approx([0.189, 0.610], abs=5e-4)
    assert asking is not None
    assert asking.question_only == pytest.approx(0.381, abs=5e-4)
    assert asking.question_answer == pytest.approx(0.345, abs=5e-4)
    assert asking.averitec["0.25"] == pytest.approx(0.442)


@pytest.mark.parametrize("board", [(name, False) for name in OTHERS], ids=OTHERS, indirect=True)
def test_other_systems(board: Scoreboard, request: pytest.FixtureRequest) -> None:
    macro, accuracy, answers = OTHERS[request.node.callspec.id]
    assert board.veracity["macro"] == pytest.approx(macro, abs=5e-4)
    assert board.veracity["acc"] == pytest.approx(accuracy)
    assert board.question_answer == pytest.approx(answers, abs=1e-12)


@pytest.mark.parametrize("board", [("fever8_solution_dev.csv.gz", False)], indirect=True)
def test_gold_as_csv(board: Scoreboard) -> None:
    assert board.veracity["acc"] == 1
    assert board.question_only is not None
    assert 0.998 < board.question_only < 1
    assert 0.998 < board.question_answer < 1  # one claim has sixteen answers, of which ten count


@pytest.mark.parametrize("board", [("evalai_baseline_submission_dev.jsonl.gz", False)], indirect=True)
def test_gold_as_joined_strings(board: Scoreboard) -> None:
    assert board.veracity["acc"] == 1
    assert board.question_only is None
    assert 0.9999 < board.question_answer < 1
