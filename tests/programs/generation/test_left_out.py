"""What a program may not drop."""

import pytest

from src.programs.generation import left_out


@pytest.mark.parametrize(
    ("claim", "texts", "lost"),
    [
        ("Ada Moor sang in Lund in 1990.", ["Ada Moor sang.", "She sang in Lund in 1990."], []),
        ("Ada Moor sang in Lund in 1990.", ["Who sang in 1990?", "{answer_1} is Moor."], ["Ada", "Lund"]),
        ("The singer of X-1 lives. It is Ben O'Hara.", ["x 1", "ben", "O'Hara"], []),
        ("The singer and The Band met.", ["the singer met"], ["Band"]),
        ("Neither ANNA nor anna-b sang.", ["anna sang"], []),
        ("Ada Moor sang. Ben too. 1990 was dry! BBC said so.", ["x"], ["Ada", "Moor", "1990", "BBC"]),
        ("It cost 1,000,000 in the 3rd year.", ["It cost 1000000 in the 3rd year."], []),
        ("The Swedish singer of the U.S. tour", ["a singer from Sweden"], []),
        ("ADA MOOR SANG.", ["x"], []),
        ("it rained", [], []),
        ("", [], []),
    ],
)
def test_names_and_numbers_that_no_step_has(claim: str, texts: list[str], lost: list[str]) -> None:
    assert left_out(claim, texts) == lost
