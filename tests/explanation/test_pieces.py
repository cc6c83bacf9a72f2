"""Numbered pieces of evidence, and those nearest to a claim."""

import pytest

from src.explanation.pieces import is_answered, nearest, pieces
from src.explanation.records import ExplainedClaim
from src.records import QAPair


def test_pairs_and_parts_of_a_source_are_numbered() -> None:
    pairs = pieces(
        ExplainedClaim(0, "c", "true", [QAPair("Who?", "Ann."), QAPair("Why?", "No answer could be found.")])
    )
    assert [(one.number, one.whole, is_answered(one)) for one in pairs] == [
        (1, "Who? Ann.", True), (2, "Why? No answer could be found.", False),
    ]  # fmt: skip
    for source in ("Eels swim.\nFrogs sing.", "Eels swim. Frogs sing.", "\n Eels swim. Frogs sing. \r\n\n"):
        assert [one.text for one in pieces(ExplainedClaim(0, "c", "true", source=source))] == [
            "Eels swim.",
            "Frogs sing.",
        ]
    assert not pieces(ExplainedClaim(0, "c", "true"))


def test_the_nearest_keep_their_order_and_numbers() -> None:
    found = pieces(ExplainedClaim(0, "c", "true", source="Frogs sing.\nEels swim in rivers.\nSnow falls.\nAnts sleep."))
    assert [one.number for one in nearest(found, "Do ants of rivers sleep?", 6)] == [2, 4]
    assert nearest(found, "Do ants sleep?", 100) == found
    assert [one.text for one in nearest(found, "rivers", 2)] == ["Eels swim"]


@pytest.mark.parametrize(
    ("question", "answer", "whole"),
    [
        ("eels rest or dive or eat", "g h", "eels rest g h"),
        ("eels rest or dive or eat", "g", "eels rest or g"),
        ("eels rest", "g h i j k", "eels rest g h"),
        ("eels rest or", "g h i j k", "eels rest g h"),
    ],
)
def test_a_long_question_is_cut_too(question: str, answer: str, whole: str) -> None:
    found = pieces(ExplainedClaim(0, "c", "true", [QAPair(question, answer), QAPair("x", "y"), QAPair("v", "w")]))
    assert [one.whole for one in nearest(found, "eels rest", 4)] == [whole]
