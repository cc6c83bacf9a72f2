"""Macro-F1 and accuracy by hand, with intervals and paired differences; trivial baselines, three with known values."""

from pathlib import Path

import numpy as np
import pytest

from src.claims import read_labelled_claims
from src.errors import InputError
from src.evaluation.bootstrap import figures, once
from src.programs.records import TwoLabel
from src.programs.scoring.two_labels import DRAWS, accuracy, baselines, guesses, macro_f1, novelty, supported
from tests.programs.answers import C, F, T, U
from tests.programs.scoring.traces import gold

GOLD = supported([T, T, T, F, F])


def test_all_but_true_counts_as_refutes() -> None:
    assert [TwoLabel.of(value) for value in (T, F, U, C)] == ["supports", "refutes", "refutes", "refutes"]
    assert supported([T, F, U, C]).tolist() == [1, 0, 0, 0]


def test_macro_f1_by_hand() -> None:
    predicted = supported([T, T, U, T, F])  # supports: TP 2, said 3, gold 3; refutes: TP 1, said 2, gold 2
    assert once(macro_f1(GOLD, predicted), 5) == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert once(accuracy(GOLD, predicted), 5) == pytest.approx(3 / 5)


def test_a_label_that_is_never_predicted_scores_zero() -> None:
    assert once(macro_f1(GOLD, supported([T] * 5)), 5) == pytest.approx((6 / 8 + 0) / 2)
    assert once(macro_f1(supported([T, T]), supported([T, T])), 2) == 0.5


def test_what_a_coin_may_expect() -> None:
    coin = np.full(5, 0.5)  # supports: 2 * 1.5 / (2.5 + 3); refutes: 2 * 1 / (2.5 + 2)
    assert once(macro_f1(GOLD, coin), 5) == pytest.approx((3 / 5.5 + 2 / 4.5) / 2)
    assert once(accuracy(GOLD, coin), 5) == 0.5


def test_differences_are_paired() -> None:
    gold = supported([T, F] * 40)
    some, more = gold.copy(), gold.copy()
    some[:20] = 1 - some[:20]
    more[:10] = 1 - more[:10]
    first, other, same = figures([accuracy(gold, predicted) for predicted in (some, more, some)], 80, seed=3)
    assert (first.value, first.to_first) == (0.75, None)
    assert first.interval[0] < 0.75 < first.interval[1]
    assert other.to_first is not None
    assert same.to_first is not None
    low, high = other.to_first.interval
    assert 0 < low < other.to_first.value == 0.125 < high
    assert same.to_first.interval == (0, 0)
    assert figures([accuracy(gold, some)], 80, seed=3)[0] == first


@pytest.fixture(scope="module")
def feverous(shared_data: Path) -> Path:
    path = shared_data / "programfc" / "feverous_dev.json.gz"
    if not path.exists():
        pytest.skip(f"FEVEROUS-S is not at {path}")
    return path


def test_the_known_floors_of_feverous(feverous: Path) -> None:
    result = baselines(read_labelled_claims(feverous), [])
    assert result.passages is not None
    known = [round(100 * one, 2) for one in (result.all_refutes, result.all_supports, result.passages)]
    assert known == [34.37, 32.27, 83.16]
    assert (result.majority, round(100 * result.coin, 2), result.novelty) == ("refutes", 49.97, None)


def test_new_words_alone_score_high_on_feverous(feverous: Path, project_root: Path) -> None:
    tuned = set((project_root / "bench" / "splits" / "feverous_tune.txt").read_text().split())
    claims = read_labelled_claims(feverous)
    rest, tune = [one for one in claims if one.key not in tuned], [one for one in claims if one.key in tuned]
    spread = baselines(rest, guesses(rest, tune, seed=0)).novelty
    assert spread is not None
    assert 0.82 < spread.mean < 0.89
    assert spread.deviation < 0.06


def test_by_hand() -> None:
    claims = [gold(0, T, passages=["a", "b"]), gold(1, T, passages=["a"]), gold(2, T, passages=["a", "b"]),
              gold(3, F, passages=["a"])]  # fmt: skip
    result = baselines(claims, [np.array([1.0, 1, 1, 0]), np.array([1.0, 1, 1, 1])])
    assert (result.majority, result.all_supports, result.all_refutes) == ("supports", 3 / 7, 0.2)
    assert result.passages == pytest.approx((4 / 5 + 2 / 3) / 2)
    assert result.novelty is not None
    assert (result.novelty.mean, result.novelty.deviation) == pytest.approx(((1 + 3 / 7) / 2, (1 - 3 / 7) / 2))


def test_claims_with_more_passages_each_have_no_floor_of_them() -> None:
    assert baselines([gold(0, T, passages=["a", "b"]), gold(1, F, passages=["a", "b"])], []).passages is None


def test_the_share_of_new_content_words() -> None:
    claim = gold(0, T, claim="The old mill of Lund was red, red!", passages=["An OLD mill.", "It is in Lund."])
    assert novelty(claim) == 1 / 4  # old, mill, lund; red once
    assert novelty(gold(0, T, claim="It is.")) == 0.0


def test_the_threshold_is_fit_on_drawn_claims() -> None:
    known = [gold(n, T, claim="red mill", passages=["a red mill"]) for n in range(20)]
    new = [gold(n, F, claim="red mill", passages=["a house"]) for n in range(20)]
    drawn = guesses([known[0], new[0]], known + new, seed=1)
    assert len(drawn) == DRAWS
    assert all(predicted.tolist() == [1, 0] for predicted in drawn)
    with pytest.raises(InputError, match="19 claims with evidence, but a draw needs 20"):
        guesses(known, known[:19], seed=1)
