"""What comes out of PDFs that are whole, locked, scanned or broken."""

from pathlib import Path

import pytest

from src.retrieval.pages import pdf_engines
from src.retrieval.pages.pdf_text import PdfText, read_pdf
from tests.retrieval.pages.pdf_builder import LINE, image_pdf, page_tree, text_pdf


def test_a_pdf_of_the_sample(sample: Path) -> None:
    found = read_pdf((sample / "pages" / "1" / "03.pdf").read_bytes())
    assert found.extractor == "pypdfium2"
    assert found.lines[1] == "The financing of the Saltmere ferry terminal"
    assert (
        "Of the total cost of 9.4 million orins, 8.1 million came from the Saltmere Terminal Lottery and 1.3 million "
        "from the insurance of the burned building. No money from the general budget was used for the building itself. "
        "The access road, which cost 0.6 million orins, was paid for by the town. "
    ) in " ".join(found.lines)


@pytest.mark.parametrize("data", [b"", b"nonsense", b"%PDF-1.7\n%%EOF", page_tree([]), text_pdf(LINE)[:300]])
def test_bytes_that_are_no_pdf(data: bytes) -> None:
    assert read_pdf(data) == PdfText(reason="damaged PDF: data format error")


def test_pages_come_in_order() -> None:
    assert read_pdf(text_pdf("The first page.", "The second page.")).lines == ["The first page.", "The second page."]


def test_a_pdf_that_needs_a_password_is_reported() -> None:
    assert read_pdf(text_pdf(LINE, user_password="secret")) == PdfText(reason="encrypted PDF")


def test_a_pdf_that_only_its_owner_may_change_is_read() -> None:
    assert read_pdf(text_pdf(LINE, owner_password="secret")).lines == [LINE]


@pytest.mark.parametrize(("pages", "said"), [(1, "1 page"), (5, "5 pages")])
def test_scanned_pages_are_reported(pages: int, said: str) -> None:
    assert read_pdf(image_pdf(pages)) == PdfText(reason=f"scanned PDF: no text in {said}")


def test_a_blank_page_is_not_a_scanned_one() -> None:
    assert read_pdf(text_pdf("")) == PdfText(reason="no text found")


def test_pdfminer_reads_what_pdfium_does_not_open() -> None:
    without_page_tree = text_pdf(LINE, LINE).replace(b"/Kids [", b"/Kidz [")
    assert read_pdf(without_page_tree) == PdfText([LINE, LINE], extractor="pdfminer.six")


def test_the_day_of_creation_is_given_as_it_stands() -> None:
    assert read_pdf(text_pdf(LINE, info="/CreationDate (D:20210305120000Z)")).created == "20210305120000Z"


def test_pages_beyond_the_limit_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_engines, "MAX_PAGES", 2)
    assert read_pdf(text_pdf("One.", "Two.", "Three.")).lines == ["One.", "Two."]


def test_text_beyond_the_limit_is_not_read() -> None:
    assert read_pdf(text_pdf("12345", "67890", "abcde"), max_characters=7).lines == ["12345", "67"]
