"""McNemar's exact test against sums of binomial coefficients."""

from math import comb

import pytest

from src.evaluation.mcnemar import mcnemar


def test_it_is_twice_the_tail_of_a_fair_coin() -> None:
    assert mcnemar(1, 9) == pytest.approx(2 * (comb(10, 0) + comb(10, 1)) / 2**10)
    assert mcnemar(9, 1) == mcnemar(1, 9)


def test_equal_counts_and_none_at_all_tell_nothing() -> None:
    assert mcnemar(5, 5) == pytest.approx(1.0)
    assert mcnemar(0, 0) == 1.0
