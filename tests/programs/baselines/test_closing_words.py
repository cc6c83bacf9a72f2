"""The verdict that reasoning ends in."""

import pytest

from src.programs.baselines.closed_book import closing_verdict
from src.records import Value
from tests.programs.answers import F, T


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Lund lies in Sweden. Therefore, the answer is: False.", F),
        ("Q: Who?\nA: Ann.\nSo the final answer is: True.", T),
        ("therefore the ANSWER is **True**.", T),
        ('The final answer is "False"', F),
        ("**Answer:** False", F),
        ("Answer: yes.", T),
        ("The answer (True or False) is: True", T),
        ("The answer is: True. But wait.\nThe answer is: False.", F),
        ("The answer is: False.\n\nLund is a town.", F),
        ("The answer is False because Lund is older.", F),
        ("Ann was born in Lund.\n\nTrue.", T),
        ("**False**", F),
        ("", None),
        ("Lund lies in Sweden.", None),
        ("The answer is: not True.", None),
        ("The answer is True or False.", None),
        ("The answer is: True/False", None),
        ("The answer is: No one knows.", None),
        ("The answer is not clear.", None),
        ("It is a true story.", None),
        ("True love is a film of 1992.", None),
        ("The answer is: Truely different", None),
    ],
)
def test_closing_verdict(text: str, verdict: Value | None) -> None:
    assert closing_verdict(text) is verdict
