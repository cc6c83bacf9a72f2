"""Recall of gold pages: hits of all steps together, a page once with its best score."""

from src.programs.scoring.report import pages, recalls
from tests.programs.answers import T
from tests.programs.scoring.traces import asked, gold, traced, verified

STEPS = [
    asked("Who?", "Ann", ("Lund", 1.0), ("Malmö", 3.0), ("", 9.0)),
    verified("Ann is.", T, ("Ann_Moor", 2.0), ("lund", 4.0), ("Ystad", 2.0)),
]


def test_pages_are_sorted_by_their_best_score() -> None:
    assert pages(traced(0, T, *STEPS)) == ["lund", "malmö", "ann moor", "ystad"]


def test_recall_is_the_share_of_gold_titles_among_the_best() -> None:
    claims = [gold(0, T, titles=["Lund", "Ann Moor", "Nowhere"]), gold(1, T, titles=["Malmo\u0308"])]
    found = [traced(0, T, *STEPS), traced(1, T, *STEPS)]
    assert recalls(claims, found, 1).tolist() == [1 / 3, 0]
    assert recalls(claims, found, 2).tolist() == [1 / 3, 1]
    assert recalls(claims, found, 10).tolist() == [2 / 3, 1]


def test_programs_are_put_together() -> None:
    trace, other = traced(0, T, STEPS[0]), traced(0, T, STEPS[1])
    trace.programs += other.programs
    assert pages(trace) == ["lund", "malmö", "ann moor", "ystad"]
    assert recalls([gold(0, T, titles=["x"])], [traced(0, T)], 3).tolist() == [0]
