"""Tables and their cells: text, Markdown, numbers, intervals, and what differences decide."""

import numpy as np
import pytest

from src.evaluation.bootstrap import Difference, figures, mean_of
from src.evaluation.tables import Section, as_markdown, as_text, verdict

TABLE = Section("Eels", [["name", "n"], ["a|b", "12"], ["", "3"]], ["as counted"])

NOT_CLEAR = "no clear difference"


def test_sections_as_text() -> None:
    assert as_text([TABLE, Section("Nothing", notes=["no rows"])]) == [
        "Eels", "name  n", "a|b   12", "      3", "as counted", "", "Nothing", "no rows",
    ]  # fmt: skip


def test_sections_as_markdown() -> None:
    table = "| name | n |\n| --- | --- |\n| a\\|b | 12 |\n|   | 3 |"
    assert as_markdown([TABLE]) == f"**Eels**\n\n{table}\n\nas counted\n"


@pytest.mark.parametrize(("claims", "expected"), [(1, NOT_CLEAR), (4, NOT_CLEAR), (5, "worse"), (40, "worse")])
def test_fewer_than_five_claims_decide_nothing(claims: int, expected: str) -> None:
    _, second = figures([mean_of(np.zeros(claims)), mean_of(np.full(claims, 2.0))], claims, seed=0)
    assert verdict(second.to_first, fewer_is_better=True) == expected


def test_the_whole_interval_decides() -> None:
    assert verdict(Difference(-1.0, (-2.0, -0.5)), fewer_is_better=True) == "better"
    assert verdict(Difference(-1.0, (-2.0, -0.5)), fewer_is_better=False) == "worse"
    assert verdict(Difference(-1.0, (-2.0, 0.0)), fewer_is_better=True) == NOT_CLEAR
    assert verdict(None, fewer_is_better=True) == ""
