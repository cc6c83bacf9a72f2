"""What a model wrote as sentences with the numbers of what they rest on."""

import pytest

from src.explanation.pieces import Piece
from src.explanation.text import behind_reasoning, read_draft

PIECES = [Piece(1, "Eels swim in rivers.", "Where?"), Piece(2, "Frogs sing at night."), Piece(4, "Snow is cold.")]


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("Eels swim. [1] Frogs sing [2].", "Eels swim. [1] Frogs sing. [2]"),
        ("Eels swim [1, 2]. It is cold [4][1].", "Eels swim. [1] [2] It is cold. [4] [1]"),
        ("Frogs sing.\n\nSnow falls.", "Frogs sing. [2] Snow falls. [4]"),
        ("Nobody knows. [3]", "Nobody knows."),
        ("", ""),
        ("[1] [2]", ""),
        ("Frogs sing. [2020] was wet. [2]", "Frogs sing. [2] [2020] was wet. [2]"),
        ("Eels swim [1, 1999]. [1]", "Eels swim [1, 1999]. [1]"),
        ("Eels swim [12]. [1]", "Eels swim. [1]"),
    ],
)
def test_numbers_are_taken_out_of_the_text(text: str, marked: str) -> None:
    assert read_draft(text, PIECES, 80).explanation.marked == marked


def test_what_was_repaired_is_counted() -> None:
    found = read_draft("Frogs sing. Eels swim. [7] Eels fly over the sea in winter. [1]", PIECES, 5)
    assert found.explanation.sentences == ("Frogs sing.", "Eels swim.")
    assert found.counts == {"cites_unknown": 1, "sentences_without_cite": 2, "sentences_cut": 1}


def test_a_large_number_is_a_citation_where_pieces_have_such_numbers() -> None:
    many = [Piece(number, "Eels swim.") for number in range(1, 121)]
    found = read_draft("Frogs sing. [120] [121] [2020]", many, 80)
    assert found.explanation.sentences == ("Frogs sing.", "[2020]")
    assert (found.explanation.cites[0], found.counts["cites_unknown"]) == ((120,), 1)


def test_a_first_sentence_that_is_too_long_is_cut() -> None:
    found = read_draft("Eels swim in many rivers. [1]", PIECES, 3)
    assert (found.explanation.sentences, found.counts["sentences_cut"]) == (("Eels swim in",), 1)


def test_what_is_only_marks_is_no_sentence_that_was_cut() -> None:
    found = read_draft("Eels swim in rivers. ... [1]", PIECES, 80)
    assert (found.explanation.sentences, found.counts["sentences_cut"]) == (("Eels swim in rivers.",), 0)


def test_what_stands_behind_the_reasoning() -> None:
    assert behind_reasoning("The explanation: is easy.\nFirst.\n**Explanation:** Eels swim.") == "Eels swim."
    assert behind_reasoning("First. Second.") is None
