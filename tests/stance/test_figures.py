"""Figures of claims against those of passages."""

import pytest

from src.stance.figures import Comparison, compare


@pytest.mark.parametrize(
    ("claim", "passage", "agree", "differ"),
    [
        ("Unemployment in Ansel doubled in her first year.",
         "In her first year unemployment in Ansel rose from 5.8 to 6.1 per cent.", 0, 1),
        ("Unemployment in Ansel doubled in her first year.",
         "In her first year unemployment in Ansel rose from 3 per cent to 6.1 per cent.", 1, 0),
        ("Thefts in Ansel fell by a third.", "Thefts in Ansel went from 300 in 2019 to 201 in 2021.", 1, 0),
        ("Thefts in Ansel fell by a third.", "Thefts in Ansel went from 300 in 2019 to 290 in 2021.", 0, 1),
        ("Rents in Ansel rose by 20 per cent.", "Rents in Ansel rose from 500 euros to 600 euros.", 1, 0),
        ("More than 40 buses run in Ansel.", "In Ansel 38 buses run on weekdays.", 0, 1),
        ("More than 40 buses run in Ansel.", "In Ansel 41 electric buses run on weekdays.", 1, 0),
        ("Fewer than ten schools of Ansel closed.", "Of the schools of Ansel, 12 schools closed.", 0, 1),
        ("At least 40 buses run in Ansel.", "In Ansel 40 buses run.", 1, 0),
        ("No more than 40 buses run in Ansel.", "In Ansel 38 buses run.", 1, 0),
        ("No more than 40 buses run in Ansel.", "In Ansel 40 buses run.", 1, 0),
        ("No  more than 40 buses run in Ansel.", "In Ansel 41 buses run.", 0, 1),
        ("Not more than 40 buses run in Ansel.", "In Ansel 38 buses run.", 1, 0),
        ("No fewer than 40 buses run in Ansel.", "In Ansel 38 buses run.", 0, 1),
        ("Not less than 40 buses run in Ansel.", "In Ansel 40 buses run.", 1, 0),
        ("Not even 40 buses run in Ansel.", "In Ansel 40 buses run.", 0, 1),
        ("Over 40 buses run in Ansel.", "In Ansel 38 buses run.", 0, 1),
        ("Buses in Ansel do not number over 40 buses.", "In Ansel 38 buses run.", 0, 0),
        ("Not over 40 buses run in Ansel.", "In Ansel 38 buses run.", 0, 0),
        ("Thefts in Ansel fell over the past 5 years.", "Thefts in Ansel fell in the past 4 years.", 0, 0),
        ("Rents in Ansel have not doubled.", "Rents in Ansel rose from 5 euros to 10 euros.", 0, 0),
        ("Rents in Ansel haven't doubled.", "Rents in Ansel rose from 5 euros to 6 euros.", 0, 0),
        ("More than half of the voters of Ansel came.", "In Ansel 38 buses run, and voters came.", 0, 0),
        ("Unemployment in Ansel doubled.", "Trams in Vell went from 3 to 9.", 0, 0),
        ("Thefts in Ansel doubled.", "Thefts in Ansel were counted from 2019 to 2021.", 0, 0),
        ("Eels swim.", "Eels swim.", 0, 0),
        ("", "", 0, 0),
    ],
)  # fmt: skip
def test_figures(claim: str, passage: str, agree: int, differ: int) -> None:
    assert compare(claim, passage) == Comparison(agree, differ)
