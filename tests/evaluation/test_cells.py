"""What a difference and its interval say in words."""

import numpy as np
import pytest

from src.evaluation.cells import verdict
from src.evaluation.figures import Difference, figures, mean_of


@pytest.mark.parametrize(("claims", "said"), [(1, "undecided"), (4, "undecided"), (5, "worse"), (40, "worse")])
def test_fewer_than_five_claims_decide_nothing(claims: int, said: str) -> None:
    _, second = figures([mean_of(np.zeros(claims)), mean_of(np.full(claims, 2.0))], claims, seed=0)
    assert verdict(second.to_first, fewer_is_better=True) == said


def test_the_whole_interval_decides() -> None:
    assert verdict(Difference(-1.0, (-2.0, -0.5)), fewer_is_better=True) == "better"
    assert verdict(Difference(-1.0, (-2.0, -0.5)), fewer_is_better=False) == "worse"
    assert verdict(Difference(-1.0, (-2.0, 0.0)), fewer_is_better=True) == "undecided"
    assert verdict(None, fewer_is_better=True) == ""
