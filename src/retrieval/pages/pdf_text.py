"""The text of a PDF, one line a paragraph: by PDFium, or by pdfminer.six where PDFium fails or finds no text.

Limitations: scanned pages are not read; they are reported as such.
"""

import msgspec

from src.retrieval.pages.pdf_engines import (
    DamagedPdfError,
    EncryptedPdfError,
    PdfPages,
    pdfium_pages,
    pdfminer_pages,
)
from src.retrieval.pages.pdf_paragraphs import paragraphs

MAX_CHARACTERS = 5_000_000


class PdfText(msgspec.Struct):
    """The paragraphs of a PDF, or the reason why there are none. `created` is the creation date as in its metadata."""

    lines: list[str] = []
    reason: str = ""
    extractor: str = ""
    created: str = ""


def read_pdf(data: bytes, max_characters: int = MAX_CHARACTERS) -> PdfText:
    """Return the paragraphs of all pages in order. Never raises for a damaged document."""
    try:
        pages = pdfium_pages(data, max_characters)
    except EncryptedPdfError:
        return PdfText(reason="encrypted PDF")
    except DamagedPdfError as error:
        return _second_reading(data, max_characters) or PdfText(reason=f"damaged PDF: {_short(error)}")
    lines = _lines(pages)
    if lines:
        return PdfText(lines, extractor="pypdfium2", created=pages.created)
    found = _second_reading(data, max_characters)
    if found:
        return msgspec.structs.replace(found, created=pages.created)
    if pages.images:
        return PdfText(reason=f"scanned PDF: no text in {pages.count} page{'s' * (pages.count != 1)}")
    return PdfText(reason="no text found")


def _second_reading(data: bytes, max_characters: int) -> PdfText | None:
    try:
        lines = _lines(pdfminer_pages(data, max_characters))
    except (DamagedPdfError, EncryptedPdfError):
        return None
    return PdfText(lines, extractor="pdfminer.six") if lines else None


def _lines(pages: PdfPages) -> list[str]:
    return [paragraph for page in pages.texts for paragraph in paragraphs(page)]


def _short(error: DamagedPdfError) -> str:
    """Return PDFium's reason, in brackets in its message: `Failed to load document (PDFium: Data format error).`"""
    text = str(error)
    return text.partition("PDFium: ")[2].rstrip(").").lower() or text
