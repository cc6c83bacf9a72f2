"""Macro-F1 of two labels and accuracy, by hand, with intervals and paired differences."""

import numpy as np
import pytest

from src.evaluation.bootstrap import figures, once
from src.programs.records import TwoLabel
from src.programs.scoring.two_labels import accuracy, macro_f1, supported
from tests.programs.answers import C, F, T, U

GOLD = supported([T, T, T, F, F])


def test_all_but_true_counts_as_refutes() -> None:
    assert [TwoLabel.of(value) for value in (T, F, U, C)] == ["supports", "refutes", "refutes", "refutes"]
    assert supported([T, F, U, C]).tolist() == [1, 0, 0, 0]


def test_macro_f1_by_hand() -> None:
    said = supported([T, T, U, T, F])  # supports: TP 2, said 3, gold 3; refutes: TP 1, said 2, gold 2
    assert once(macro_f1(GOLD, said), 5) == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert once(accuracy(GOLD, said), 5) == pytest.approx(3 / 5)


def test_a_label_that_is_never_said_scores_nothing() -> None:
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
    first, other, same = figures([accuracy(gold, said) for said in (some, more, some)], 80, seed=3)
    assert (first.value, first.to_first) == (0.75, None)
    assert first.interval[0] < 0.75 < first.interval[1]
    assert other.to_first is not None
    assert same.to_first is not None
    low, high = other.to_first.interval
    assert 0 < low < other.to_first.value == 0.125 < high
    assert same.to_first.interval == (0, 0)
    assert figures([accuracy(gold, some)], 80, seed=3)[0] == first
