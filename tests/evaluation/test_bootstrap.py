"""Intervals by resampled claims, differences, and McNemar's exact test."""

from collections.abc import Iterator
from math import comb

import numpy as np
import pytest

from src.evaluation.aggregate import Scores, Tally, V, intervals
from src.evaluation.averitec import ClaimScore
from src.evaluation.bootstrap import draws, mcnemar
from src.records import VERDICTS


@pytest.fixture
def tally() -> Tally:
    chance = np.random.default_rng(1)
    return Tally(
        [
            ClaimScore(VERDICTS[a], VERDICTS[b], float(q), float(q) / 2, ["Quote"] if q > 0.5 else ["Number", "Rare"])
            for a, b, q in zip(
                chance.integers(4, size=200), chance.integers(4, size=200), chance.random(200), strict=True
            )
        ]
    )


def leaves(table: Scores[V]) -> Iterator[V]:
    if table.question_only is not None:
        yield table.question_only
    yield table.question_answer
    for part in (table.averitec, table.veracity, table.by_type):
        yield from part.values()


def test_every_interval_holds_its_score(tally: Tally) -> None:
    pairs = list(zip(leaves(tally.scores()), leaves(intervals(tally)), strict=True))
    assert len(pairs) == 2 + 6 + 6 + 3
    assert [pair for pair in pairs if not pair[1][0] <= pair[0] <= pair[1][1]] == []


def test_the_width_is_that_of_the_normal_approximation() -> None:
    claims = [ClaimScore(VERDICTS[0], VERDICTS[place % 2], 0.0, 0.0, []) for place in range(400)]
    low, high = intervals(Tally(claims), resamples=4000).veracity["acc"]
    assert high - low == pytest.approx(2 * 1.96 * 0.5 / 20, rel=0.1)


def test_the_same_seed_gives_the_same_intervals(tally: Tally) -> None:
    assert intervals(tally, seed=5) == intervals(tally, seed=5)
    assert intervals(tally, seed=5) != intervals(tally, seed=6)


def test_every_resample_has_as_many_claims() -> None:
    counts = draws(7, seed=0, resamples=50)
    assert counts.shape == (7, 50)
    assert (counts.sum(axis=0) == 7).all()
    assert counts.max() > 1


def test_a_type_of_one_claim_is_left_out_of_resamples_without_it() -> None:
    claims = [ClaimScore(VERDICTS[0], VERDICTS[0], 0.5, 0.5, ["Rare"] if place == 0 else []) for place in range(20)]
    assert intervals(Tally(claims)).by_type == {"Rare": (0.5, 0.5)}


def test_no_questions_no_interval() -> None:
    assert intervals(Tally([ClaimScore(VERDICTS[0], None, None, 0.5, [])] * 3)).question_only is None


def test_it_is_twice_the_tail_of_a_fair_coin() -> None:
    assert mcnemar(1, 9) == pytest.approx(2 * (comb(10, 0) + comb(10, 1)) / 2**10)
    assert mcnemar(9, 1) == mcnemar(1, 9)


def test_equal_counts_and_none_at_all_tell_nothing() -> None:
    assert mcnemar(5, 5) == pytest.approx(1.0)
    assert mcnemar(0, 0) == 1.0
