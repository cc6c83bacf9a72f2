"""The value of most programs; ties go to the surer ones, then to the verdict that is more frequent."""

import pytest

from src.programs.interpreter import Ballot, published_vote, vote
from src.records import Value
from tests.programs.answers import C, F, T, U


@pytest.mark.parametrize(
    ("values", "best", "share"),
    [
        ([T, T, F], T, 2 / 3),
        ([T, F], F, 1 / 2),
        ([U, U], U, 1),
        ([C, U], C, 1 / 2),
        ([U, T], T, 1 / 2),
        ([F, C, U, T, T], T, 2 / 5),
        ([], U, 0),
    ],
)
def test_most_programs_decide(values: list[Value], best: Value, share: float) -> None:
    found = vote([Ballot(value, 0.0) for value in values])
    assert found[0] is best
    assert found[1] == pytest.approx(share)


def test_of_a_tie_the_surer_ones() -> None:
    assert vote([Ballot(T, 0.9), Ballot(F, 0.4)]) == (T, 0.5)
    assert vote([Ballot(T, 0.2), Ballot(T, 0.2), Ballot(U, 0.3), Ballot(U, 0.2)]) == (U, 0.5)
    assert vote([Ballot(T, 0.2), Ballot(F, 0.9), Ballot(T, 0.1)])[0] is T  # no tie


def test_a_program_without_a_label_has_no_vote() -> None:
    unreadable = Ballot(U, 0.0, has_label=False)
    assert vote([Ballot(T, 0.1), unreadable, unreadable]) == (T, 1 / 3)
    assert vote([Ballot(F, 0.1), Ballot(T, 0.9), unreadable, unreadable, unreadable]) == (T, 1 / 5)
    assert vote([Ballot(U, 0.0), Ballot(T, 0.1), Ballot(U, 0.0), unreadable]) == (U, 1 / 2)
    assert vote([unreadable, unreadable]) == (U, 0)


@pytest.mark.parametrize(
    ("values", "best", "share"),
    [
        ([T, T, U, U, U], T, 2 / 5),
        ([T, T, F, U, U], T, 2 / 5),
        ([T, F], F, 1 / 2),
        ([T, C], T, 1 / 2),
        ([U, U], F, 1),
        ([], U, 0),
    ],
)
def test_as_published_true_has_to_be_ahead_of_false(values: list[Value], best: Value, share: float) -> None:
    found = published_vote([Ballot(value, 9.0) for value in values])
    assert found[0] is best
    assert found[1] == pytest.approx(share)


def test_as_published_a_program_without_a_label_has_no_vote_either() -> None:
    unreadable = Ballot(U, 0.0, has_label=False)
    assert published_vote([Ballot(T, 0.9), Ballot(F, 0.1), unreadable]) == (F, 1 / 3)
    assert published_vote([unreadable]) == (U, 0)
