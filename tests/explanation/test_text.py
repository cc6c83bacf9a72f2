"""Sentences with their citation marks, numbered pieces of evidence, and the nine types of errors."""

import pytest

from src.explanation.pieces import Piece, is_answered, nearest, pieces
from src.explanation.records import ExplainedClaim
from src.explanation.text import behind_reasoning, read_draft
from src.explanation.typology import MADR_TYPES, ErrorType, error_type
from src.records import QAPair

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
    draft = read_draft("Frogs sing. Eels swim. [7] Eels fly over the sea in winter. [1]", PIECES, 5)
    assert draft.explanation.sentences == ("Frogs sing.", "Eels swim.")
    assert draft.counts == {"cites_unknown": 1, "sentences_without_cite": 2, "sentences_cut": 1}


def test_a_large_number_is_a_citation_where_pieces_have_such_numbers() -> None:
    many = [Piece(number, "Eels swim.") for number in range(1, 121)]
    draft = read_draft("Frogs sing. [120] [121] [2020]", many, 80)
    assert draft.explanation.sentences == ("Frogs sing.", "[2020]")
    assert (draft.explanation.cites[0], draft.counts["cites_unknown"]) == ((120,), 1)


def test_a_first_sentence_that_is_too_long_is_cut() -> None:
    draft = read_draft("Eels swim in many rivers. [1]", PIECES, 3)
    assert (draft.explanation.sentences, draft.counts["sentences_cut"]) == (("Eels swim in",), 1)


def test_what_is_only_marks_is_no_sentence_that_was_cut() -> None:
    draft = read_draft("Eels swim in rivers. ... [1]", PIECES, 80)
    assert (draft.explanation.sentences, draft.counts["sentences_cut"]) == (("Eels swim in rivers.",), 0)


def test_the_text_after_the_reasoning() -> None:
    assert behind_reasoning("The explanation: is easy.\nFirst.\n**Explanation:** Eels swim.") == "Eels swim."
    assert behind_reasoning("First. Second.") is None


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
    evidence = pieces(
        ExplainedClaim(0, "c", "true", source="Frogs sing.\nEels swim in rivers.\nSnow falls.\nAnts sleep.")
    )
    assert [one.number for one in nearest(evidence, "Do ants of rivers sleep?", 6)] == [2, 4]
    assert nearest(evidence, "Do ants sleep?", 100) == evidence
    assert [one.text for one in nearest(evidence, "rivers", 2)] == ["Eels swim"]


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
    evidence = pieces(ExplainedClaim(0, "c", "true", [QAPair(question, answer), QAPair("x", "y"), QAPair("v", "w")]))
    assert [one.whole for one in nearest(evidence, "eels rest", 4)] == [whole]


@pytest.mark.parametrize("one", MADR_TYPES)
def test_each_type_is_read_by_its_letters_and_its_name(one: ErrorType) -> None:
    for text in (one.value, one.value.lower(), one.full_name, f"**{one.full_name.title()}** error"):
        assert error_type(text) is one


def test_other_spellings_and_nothing() -> None:
    assert error_type("Over-generalization") is ErrorType.OVERGENERALISATION
    assert error_type("Related error") is None
    assert error_type("") is None


def test_names_as_the_paper_has_them() -> None:
    assert error_type("Intrinsic Entity-Related Error") is ErrorType.INTRINSIC_ENTITY
    assert error_type("Extrinsic Noun-Phrase-Related Errors") is ErrorType.EXTRINSIC_NOUN_PHRASE
    assert error_type("Intrinsic Event-Related") is ErrorType.INTRINSIC_EVENT
