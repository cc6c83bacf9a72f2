"""True or false by two scores."""

from math import inf

import pytest

from src.llm.protocol import Reply
from src.programs.answerers.by_language_model import told
from src.records import Value
from tests.programs.answers import F, T, U


@pytest.mark.parametrize(
    ("scores", "value", "confidence"),
    [((-0.5, -0.5), T, 0.5), ((-1.0, -inf), T, 1.0), ((-inf, -1.0), F, 1.0), ((-inf, -inf), U, 0.0)],
)
def test_the_likelier_of_two(scores: tuple[float, float], value: Value, confidence: float) -> None:
    assert told(Reply("", 1, 1, "choices", scores))[:2] == (value, confidence)
