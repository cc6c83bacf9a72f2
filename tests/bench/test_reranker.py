"""The reranker benchmark in small: the ways agree in float32, and disagreement is seen."""

from pathlib import Path

import pytest

from bench.reranker import OURS, PUBLISHED, agreement, bert_ways
from src.records import CandidateQA, CandidateQuestions
from tests.tiny_models import make_bert, sentences


def test_agreement() -> None:
    scores = [0.9, 0.1, 0.5, 0.4]
    assert agreement(scores, scores) == (1.0, 1.0, True)
    share, tau, best = agreement(scores, [0.9, 0.1, 0.4, 0.5])
    assert (share, best) == (0.5, False)
    assert 0 < tau < 1


def test_ours_in_float32_keeps_the_published_order(tmp_path: Path) -> None:
    lines = sentences()
    pairs = [CandidateQA(f"{lines[n]}?", " ".join(lines[n : n + n % 4 + 1]), "u") for n in range(0, 120, 9)]
    claim = CandidateQuestions(0, lines[50], pairs)
    ways = bert_ways(make_bert(tmp_path / "two"))
    expected, actual = ways[PUBLISHED](claim), ways[OURS](claim)
    assert actual == pytest.approx(expected, abs=1e-4)
    assert agreement(expected, actual)[1] > 0.99
