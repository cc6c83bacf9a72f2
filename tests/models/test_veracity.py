"""The published rule in full, and the published classifier's text and answers."""

import math
from itertools import combinations_with_replacement, permutations
from pathlib import Path

import pytest

from src.models.bert import load_bert
from src.models.veracity import MAX_LENGTH, StanceClassifier, aggregate, joined, probabilities
from src.records import VERDICTS, Evidence, QAPair, Verdict
from tests.tiny_models import sentences

S, R, N, C = VERDICTS

GOLDEN = {
    (): N,
    (S,): S, (R,): R, (N,): N, (C,): N,
    (S, S): S, (S, R): C, (S, N): N, (S, C): N, (R, R): R, (R, N): N, (R, C): N, (N, N): N, (N, C): N, (C, C): N,
    (S, S, S): S, (S, S, R): C, (S, S, N): N, (S, S, C): N, (S, R, R): C, (S, R, N): N, (S, R, C): N, (S, N, N): N,
    (S, N, C): N, (S, C, C): N, (R, R, R): R, (R, R, N): N, (R, R, C): N, (R, N, N): N, (R, N, C): N, (R, C, C): N,
    (N, N, N): N, (N, N, C): N, (N, C, C): N, (C, C, C): N,
}  # fmt: skip


def test_the_table_is_complete() -> None:
    assert set(GOLDEN) == {stances for size in range(4) for stances in combinations_with_replacement(VERDICTS, size)}


def test_probabilities_are_the_softmax() -> None:
    found = probabilities([math.log(0.1), math.log(0.2), math.log(0.3), math.log(0.4)])
    assert list(found) == list(VERDICTS)
    assert list(found.values()) == pytest.approx([0.1, 0.2, 0.3, 0.4])
    assert list(probabilities([-1000.0, -3000.0, -3000.0, -3000.0]).values()) == [1, 0, 0, 0]


@pytest.mark.parametrize("stances", GOLDEN)
def test_the_published_rule(stances: tuple[Verdict, ...]) -> None:
    assert {aggregate(order) for order in permutations(stances)} == {GOLDEN[stances]}


def test_the_published_text() -> None:
    pair = QAPair(" When was it sent? ", "\nIn 1998. ", "u")
    assert joined(" A claim. ", pair) == "[CLAIM] A claim. [QUESTION] When was it sent? In 1998."


def test_each_pair_is_classified_alone(four_classes: Path) -> None:
    lines = sentences()
    bert = load_bert(four_classes, 4, MAX_LENGTH)
    claims = [
        Evidence(place, lines[place], [QAPair(f"{lines[40 * n + place]}?", lines[n]) for n in range(place % 4 + 1)])
        for place in range(12)
    ]
    found = StanceClassifier(bert).judge(claims)
    seen: set[Verdict] = set()
    for claim, judgement in zip(claims, found, strict=True):
        stances = [VERDICTS[int(bert.logits([joined(claim.claim, pair)]).argmax())] for pair in claim.evidence]
        seen.update(stances)
        assert judgement.verdict == aggregate(stances)
        assert judgement.counts == {"texts": len(claim.evidence)}
        assert judgement.probabilities is None
    assert len(seen) > 1
