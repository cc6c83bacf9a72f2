"""The proxy scorer: scores of a verdict model's verdicts, and their table."""

import pytest

from src.ev2r.scores import ProxyScores
from src.ev2r.table import proxy_section
from src.evaluation.averitec import ClaimScore
from src.prediction.proxy import proxy_scores
from src.records import Verdict

LABELS = [Verdict.REFUTED, Verdict.REFUTED, Verdict.SUPPORTED, Verdict.CONFLICTING]
GUESSES = [Verdict.REFUTED, Verdict.SUPPORTED, Verdict.SUPPORTED, Verdict.REFUTED]


def _scores(*, with_baselines: bool, seed: int | None) -> ProxyScores:
    claims = [
        ClaimScore(label=label, guessed=guess, question_only=None, question_answer=0.0, claim_types=[])
        for label, guess in zip(LABELS, GUESSES, strict=True)
    ]
    return proxy_scores("words", claims, with_baselines=with_baselines, seed=seed)


def test_scores_and_the_baseline() -> None:
    scores = _scores(with_baselines=True, seed=0)
    assert (scores.accuracy, scores.always_refuted_accuracy) == (0.5, 0.5)
    assert scores.macro_f1 == pytest.approx((1 / 2 + 2 / 3) / 4)
    assert scores.always_refuted_macro_f1 == pytest.approx(2 / 3 / 4)
    assert scores.accuracy_interval is not None
    assert scores.accuracy_interval[0] <= 0.5 <= scores.accuracy_interval[1]
    table = proxy_section(scores)
    assert table.title == "Proxy: verdict model words on the predicted evidence, against the gold labels"
    assert table.rows[0] == ["", "score", "95 % interval", "always Refuted"]
    assert [row[0] for row in table.rows[1:]] == ["accuracy", "macro-F1"]


def test_intervals_and_baselines_can_be_left_out() -> None:
    scores = _scores(with_baselines=False, seed=None)
    assert (scores.accuracy_interval, scores.always_refuted_accuracy) == (None, None)
    assert proxy_section(scores).rows == [["", "score"], ["accuracy", "0.500"], ["macro-F1", "0.292"]]
