"""Days, months and weekdays, however they are written."""

import pytest

from src.explanation.checks.grounds import Grounds
from src.explanation.checks.rules import in_figures, mentions, unknown_dates
from src.explanation.records import ExplainedClaim


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("on 5 June 1990", [((6, 5),)]),
        ("June 5th, 1990", [((6, 5),)]),
        ("the 5th of Sept.", [((9, 5),)]),
        ("1990-06-05", [((6, 5),)]),
        ("5/6/1990", [((5, 6), (6, 5))]),
        ("25.6.1990", [((6, 25),)]),
        ("in May 2020 they may march", [((5, 0),)]),
        ("from June to August", [((6, 0),), ((8, 0),)]),
        ("may 3 eels decide 5 things in version 1.2.3?", []),
        ("99/99/1990", []),
    ],
)
def test_mentions(text: str, days: list[tuple[tuple[int, int], ...]]) -> None:
    assert [one.days for one in mentions(text)] == days


def test_places_of_figures() -> None:
    assert in_figures("It was 1990-06-05, not 1991-99-99.") == [(7, 17)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It burnt on 5 June 1990.", []),
        ("It burnt on June 5th.", []),
        ("It burnt on 1990-06-05.", []),
        ("It burnt on 6/5/1990, a Friday.", []),
        ("It burnt on 5 July 1990.", [("EE", "5 July")]),
        ("It burnt in August.", [("EE", "August")]),
        ("It burnt on 9 June 1990.", [("IE", "9 June")]),
        ("It burnt on 8 June 1990.", []),  # an untold number, which another check finds
        ("It burnt on a Monday.", [("EE", "Monday")]),
        ("It burnt on 1990-06-08.", [("EE", "1990-06-08")]),
        ("It burnt on 1991-06-05.", [("EE", "1991-06-05")]),
        ("It burnt on 5.6.1991.", [("EE", "5.6.1991")]),
        ("It burnt on 1990-06-09.", [("IE", "1990-06-09")]),
    ],
)
def test_what_is_untold(text: str, found: list[tuple[str, str]]) -> None:
    source = "The mill burnt on Friday, 5 June 1990. It was new on 9 October."
    grounds = Grounds.of(ExplainedClaim(1, "The mill burnt.", "true", source=source))
    assert [(one.type.value, one.span) for one in unknown_dates(text, 0, grounds)] == found


def test_a_month_alone_in_the_source_is_told() -> None:
    for month in ("September", "Sept", "May", "February"):
        grounds = Grounds.of(ExplainedClaim(1, "He left.", "true", source=f"{month} was when he left."))
        assert list(unknown_dates(f"He left in {month}.", 0, grounds)) == []
