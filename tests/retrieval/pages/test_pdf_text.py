"""The text of PDFs that are whole, locked, scanned or broken, and its paragraphs."""

from pathlib import Path

import pytest

from src.retrieval.pages import pdf_text
from src.retrieval.pages.pdf_text import PdfText, paragraphs, read_pdf
from tests.retrieval.pages.pdf_builder import LINE, image_pdf, page_tree, text_pdf

FULL = "This line goes on to the right margin of the page and is"


def test_a_pdf_of_the_sample(sample: Path) -> None:
    page = read_pdf((sample / "pages" / "1" / "03.pdf").read_bytes())
    assert page.extractor == "pypdfium2"
    assert page.lines[1] == "The financing of the Saltmere ferry terminal"
    assert (
        "Of the total cost of 9.4 million orins, 8.1 million came from the Saltmere Terminal Lottery and 1.3 million "
        "from the insurance of the burned building. No money from the general budget was used for the building itself. "
        "The access road, which cost 0.6 million orins, was paid for by the town. "
    ) in " ".join(page.lines)


@pytest.mark.parametrize("data", [b"", b"nonsense", b"%PDF-1.7\n%%EOF", text_pdf(LINE)[:300]])
def test_bytes_that_are_no_pdf(data: bytes) -> None:
    assert read_pdf(data) == PdfText(reason="damaged PDF: data format error")


def test_a_pdf_without_pages_is_damaged_whatever_was_read_before() -> None:
    read_pdf(text_pdf(LINE, user_password="secret"))
    assert read_pdf(page_tree([])) == PdfText(reason="damaged PDF: no pages")


def test_pages_come_in_order() -> None:
    assert read_pdf(text_pdf("The first page.", "The second page.")).lines == ["The first page.", "The second page."]


def test_a_pdf_that_needs_a_password_is_reported() -> None:
    assert read_pdf(text_pdf(LINE, user_password="secret")) == PdfText(reason="encrypted PDF")


def test_a_pdf_that_only_its_owner_may_change_is_read() -> None:
    assert read_pdf(text_pdf(LINE, owner_password="secret")).lines == [LINE]


@pytest.mark.parametrize(("pages", "count"), [(1, "1 page"), (5, "5 pages")])
def test_scanned_pages_are_reported(pages: int, count: str) -> None:
    assert read_pdf(image_pdf(pages)) == PdfText(reason=f"scanned PDF: no text in {count}")


def test_a_blank_page_is_not_a_scanned_one() -> None:
    assert read_pdf(text_pdf("")) == PdfText(reason="no text found")


def test_pdfminer_reads_what_pdfium_does_not_open() -> None:
    without_page_tree = text_pdf(LINE, LINE).replace(b"/Kids [", b"/Kidz [")
    assert read_pdf(without_page_tree) == PdfText([LINE, LINE], extractor="pdfminer.six")


def test_the_day_of_creation_is_given_as_it_stands() -> None:
    assert read_pdf(text_pdf(LINE, info="/CreationDate (D:20210305120000Z)")).created == "20210305120000Z"


def test_pages_beyond_the_limit_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_text, "MAX_PAGES", 2)
    assert read_pdf(text_pdf("One.", "Two.", "Three.")).lines == ["One.", "Two."]


def test_text_beyond_the_limit_is_not_read() -> None:
    assert read_pdf(text_pdf("12345", "67890", "abcde"), max_characters=7).lines == ["12345", "67"]


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
