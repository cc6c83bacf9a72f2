"""What would change a verdict, in words."""

import pytest

from src.check.change import what_would_change
from src.check.records import Decisive, Without
from src.records import QAPair, Verdict
from tests.check.test_text import PAIRS, checked


@pytest.mark.parametrize(
    ("decisive", "pairs", "said"),
    [
        (Decisive((), Without((2,), Verdict.SUPPORTED, 0.33)), PAIRS,
         "Without [2] the verdict would be Supported (Refuted falls from 71% to 33%)."),
        (Decisive((), Without((2,), Verdict.SUPPORTED, 0.74)), PAIRS, "Without [2] the verdict would be Supported."),
        (Decisive((), Without((1, 3), Verdict.SUPPORTED)), PAIRS,
         "No single piece decides. Without [1] and [3] the verdict would be Supported."),
        (Decisive(), PAIRS,
         "This was not tried: with this model it takes too long. Its reasons say what they rest on."),
        (Decisive((Without((1,), Verdict.REFUTED), Without((2,), Verdict.REFUTED))), PAIRS,
         "Nothing: leaving out any part of the evidence keeps the verdict, as far as was tried."),
        (Decisive(), PAIRS[:1], "Nothing but the loss of the only evidence there is."),
        (Decisive(), [], "Nothing: there is no evidence to leave out."),
    ],
)  # fmt: skip
def test_what_would_change_the_verdict(decisive: Decisive, pairs: list[QAPair], said: str) -> None:
    assert what_would_change(checked(decisive, pairs).prediction, decisive) == said
