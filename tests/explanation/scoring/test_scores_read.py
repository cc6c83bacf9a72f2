"""A judge's reply is a score only where it plainly says one."""

import pytest

from src.explanation.scoring.geval import read_score


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("4", 4),
        (" 5\n", 5),
        ("Faithfulness: 3", 3),
        ("**Faithfulness:** 2", 2),
        ("faithfulness score = 1.", 1),
        ("Score: 4", 4),
        ("4/5", 4),
        ("4 out of 5", 4),
        ("**4**", 4),
        ("5. The evidence agrees.", 5),
    ],
)
def test_a_plain_number_is_read(text: str, score: int) -> None:
    assert read_score(text) == score


@pytest.mark.parametrize(
    "text", ["", "0", "6", "10", "45", "4.5", "3-4", "4 or 5", "-3", "four", "I give it 4", "4/10", "5th", "1) 2"]
)
def test_anything_else_is_no_score(text: str) -> None:
    assert read_score(text) is None
