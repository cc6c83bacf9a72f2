"""Paragraphs out of the short lines of a PDF."""

import pytest

from src.retrieval.pages.pdf_paragraphs import paragraphs

FULL = "This line goes on to the right margin of the page and is"


def test_full_lines_go_on_and_a_short_line_ends_the_paragraph() -> None:
    page = f"{FULL}\r\n{FULL}\r\nthe end.\r\n{FULL}\r\nover."
    assert paragraphs(page) == [f"{FULL} {FULL} the end.", f"{FULL} over."]


def test_a_heading_stands_alone() -> None:
    assert paragraphs(f"Findings\r\n{FULL}\r\nover.\r\nRemarks\r\n{FULL}") == [
        "Findings",
        f"{FULL} over.",
        "Remarks",
        FULL,
    ]


def test_a_heading_or_page_number_after_a_full_last_line_stands_alone() -> None:
    last = "and here the paragraph ends at the very margin of the page."
    assert paragraphs(f"{FULL}\r\n{last}\r\nRemarks\r\n{FULL}\r\n{last}\r\npage 1") == [
        f"{FULL} {last}",
        "Remarks",
        f"{FULL} {last}",
        "page 1",
    ]


def test_one_wide_line_among_many_does_not_make_the_others_short() -> None:
    header = "A header that runs over both pages of the open report and is three times as wide as anything below it"
    assert paragraphs("\r\n".join([header, *[FULL] * 10])) == [" ".join([header, *[FULL] * 10])]


def test_a_word_broken_at_the_end_of_a_line_is_joined() -> None:
    assert paragraphs(f"{FULL} exam\ufffeple of a word that was cut in two by the margin.") == [
        f"{FULL} example of a word that was cut in two by the margin."
    ]


@pytest.mark.parametrize("page", ["", "\r\n \r\n"])
def test_an_empty_page_has_no_paragraphs(page: str) -> None:
    assert paragraphs(page) == []
