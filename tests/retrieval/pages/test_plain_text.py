"""Paragraphs of a plain text."""

from src.retrieval.pages.plain_text import plain_lines

BROKEN = """The ferry left at a quarter past six with
forty passengers, two dogs and a
grandfather clock on board.

Half way across the sound the clock
struck nine."""


def test_lines_broken_at_a_margin_are_joined() -> None:
    joined = [
        "The ferry left at a quarter past six with forty passengers, two dogs and a grandfather clock on board.",
        "Half way across the sound the clock struck nine.",
    ]
    assert plain_lines(BROKEN) == joined
    assert plain_lines(BROKEN.replace("\n", "\r\n")) == joined
    assert plain_lines("\n\n" + BROKEN.replace("\n\n", "\n \t\n\n") + "\n") == joined


def test_a_paragraph_a_line_stays_so() -> None:
    lines = ["A long paragraph that goes far beyond any margin. " * 4 + "It ends.", "A short one.", "Another."]
    assert plain_lines("\n".join(lines)) == lines
    assert plain_lines("\n\n".join(lines)) == lines


def test_whole_sentences_a_line_stay_so() -> None:
    lines = ["The first is a sentence.", "The second is one.", "The third too."]
    assert plain_lines("\n".join(lines)) == lines


def test_nothing_has_no_lines() -> None:
    assert plain_lines("") == plain_lines(" \n\t\n") == []
