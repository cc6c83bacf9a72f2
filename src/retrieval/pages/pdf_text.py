"""Text of a PDF, one paragraph per line: by PDFium, or by pdfminer.six if PDFium fails or finds no text.

A PDF contains the lines of the printed page. The scraper drops short lines as menus (`sentences.py`), so the lines of a
PDF are joined to paragraphs. A line that is clearly shorter than the full lines of its page ends a paragraph. A short
line without a sentence end, after a line with one, is a heading or a page number and becomes its own paragraph. Two
paragraphs that are joined by mistake do no harm, since the text is split into sentences later.

Limitations: scanned pages are reported but not read (no OCR). Pages that PDFium cannot load are left out. Columns are
not detected, and a paragraph ends at the end of a page. A word broken at the end of a line is joined without its
hyphen, even if the hyphen belongs to the word. PDFium is not thread-safe, and both engines may take very long: use
processes with limits.
"""

from collections.abc import Iterator
from contextlib import closing
from io import BytesIO
from itertools import islice
from typing import Any

import msgspec

MAX_CHARACTERS = 5_000_000
MAX_PAGES = 2_000  # pages of one document that are read
PAGES_TO_JUDGE = 3  # first pages that are examined for images, or for text with the slower engine

FULL_LINE = 0.75  # share of the page's line width, in characters, from which a line counts as full
WIDE_LINES = 0.1  # share of a page's lines that may be wider than its line width (a header over two columns)
BROKEN_WORD = "\ufffe"  # PDFium's character for a hyphen and line break at the end of a line


class EncryptedPdfError(ValueError):
    """Raised for a PDF that cannot be opened without a password."""


class DamagedPdfError(ValueError):
    """Raised for a PDF that cannot be opened, or that has no page that can be opened."""


class PdfPages(msgspec.Struct):
    """Text of the pages of a PDF.

    `texts`: text of each page in order, in the lines of the printed page.
    `count`: number of pages.
    `images`: True if one of the first pages contains an image; only examined if there is no text.
    `created`: creation date in the metadata, `YYYYMMDD…`, or "".
    """

    texts: list[str]
    count: int
    images: bool = False
    created: str = ""


class PdfText(msgspec.Struct):
    """Text of a PDF.

    `lines`: paragraphs in order.
    `reason`: why there are no paragraphs, or "".
    `extractor`: library that found the text.
    `created`: creation date in the metadata, `YYYYMMDD…`, or "".
    """

    lines: list[str] = []
    reason: str = ""
    extractor: str = ""
    created: str = ""


def read_pdf(data: bytes, max_characters: int = MAX_CHARACTERS) -> PdfText:
    """Return the paragraphs of a PDF, or the reason why there are none. Never raises for a damaged file.

    `max_characters`: length above which the text is cut off.
    """
    try:
        pages = pdfium_pages(data, max_characters)
    except EncryptedPdfError:
        return PdfText(reason="encrypted PDF")
    except DamagedPdfError as error:
        return _by_pdfminer(data, max_characters) or PdfText(reason=f"damaged PDF: {error}")
    lines = _lines(pages)
    if lines:
        return PdfText(lines, extractor="pypdfium2", created=pages.created)
    fallback = _by_pdfminer(data, max_characters)
    if fallback:
        return msgspec.structs.replace(fallback, created=pages.created)
    if pages.images:
        return PdfText(reason=f"scanned PDF: no text in {pages.count} page{'s' * (pages.count != 1)}")
    return PdfText(reason="no text found")


def _by_pdfminer(data: bytes, max_characters: int) -> PdfText | None:
    """Return the paragraphs of a PDF by pdfminer.six, without its metadata; None if it finds no text."""
    try:
        lines = _lines(pdfminer_pages(data, max_characters))
    except (DamagedPdfError, EncryptedPdfError):
        return None
    return PdfText(lines, extractor="pdfminer.six") if lines else None


def _lines(pages: PdfPages) -> list[str]:
    return [paragraph for page in pages.texts for paragraph in paragraphs(page)]


def pdfium_pages(data: bytes, max_characters: int) -> PdfPages:
    """Return the text of the pages by PDFium.

    Raises EncryptedPdfError when a password is needed, DamagedPdfError when no page can be opened.
    """
    with closing(_pdfium_document(data)) as document:
        count = len(document)
        texts = list(_within(_pdfium_texts(document), max_characters))
        if not texts:
            raise DamagedPdfError("no page can be opened" if count else "no pages")
        images = not any(text.strip() for text in texts) and _has_images(document)
        return PdfPages(texts, count, images, document.get_metadata_value("CreationDate").removeprefix("D:"))


def _pdfium_document(data: bytes) -> Any:
    """Return the opened document. `data` must exist as long as it is open.

    Not opened by `PdfDocument(data)`, which gives a document without pages the error of whichever was opened before.
    """
    import pypdfium2
    from pypdfium2 import raw

    handle = raw.FPDF_LoadMemDocument64(data, len(data), None)
    if handle:
        return pypdfium2.PdfDocument(handle)
    error = raw.FPDF_GetLastError()
    if error in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY):
        raise EncryptedPdfError
    raise DamagedPdfError("data format error" if error == raw.FPDF_ERR_FORMAT else f"PDFium error {error}")


def pdfminer_pages(data: bytes, max_characters: int) -> PdfPages:
    """Return the text of the pages by pdfminer.six; only of the first pages if these have no text.

    Raises EncryptedPdfError when a password is needed, DamagedPdfError when the file cannot be read.
    """
    from pdfminer.high_level import extract_pages
    from pdfminer.layout import LTTextContainer
    from pdfminer.pdfdocument import PDFPasswordIncorrect

    try:
        pages = extract_pages(BytesIO(data), maxpages=MAX_PAGES)
        every = ("".join(box.get_text() for box in page if isinstance(box, LTTextContainer)) for page in pages)
        first = list(islice(every, PAGES_TO_JUDGE))
        rest = list(_within(every, max_characters)) if any(text.strip() for text in first) else []
    except PDFPasswordIncorrect:
        raise EncryptedPdfError from None
    except Exception as error:  # damaged documents make it raise any error
        raise DamagedPdfError(f"{type(error).__name__}: {error}") from None
    return PdfPages([*first, *rest], len(first) + len(rest))


def _pdfium_texts(document: Any) -> Iterator[str]:
    import pypdfium2

    for number in range(min(len(document), MAX_PAGES)):
        try:
            with closing(document.get_page(number)) as page, closing(page.get_textpage()) as text:
                yield text.get_text_range()
        except pypdfium2.PdfiumError:
            continue


def _within(texts: Iterator[str], max_characters: int) -> Iterator[str]:
    """Yield the texts until their total length reaches `max_characters`."""
    for text in texts:
        yield text[:max_characters]
        max_characters -= len(text)
        if max_characters <= 0:
            return


def _has_images(document: Any) -> bool:
    import pypdfium2
    import pypdfium2.raw

    for number in range(min(len(document), PAGES_TO_JUDGE)):
        try:
            with closing(document.get_page(number)) as page:
                if any(True for _ in page.get_objects(filter=[pypdfium2.raw.FPDF_PAGEOBJ_IMAGE], max_depth=3)):
                    return True
        except pypdfium2.PdfiumError:
            continue
    return False


def paragraphs(page: str) -> list[str]:
    """Return the paragraphs of one page: the lines of its text, joined."""
    lines = [line.strip(" \t\r") for line in page.replace(BROKEN_WORD, f"{BROKEN_WORD}\n").split("\n")]
    full = FULL_LINE * _line_width(lines)
    joined = [""]
    for line in lines:
        if len(line) < full and not _ends_sentence(line) and _ends_sentence(joined[-1]):
            joined.append("")
        joined[-1] += line.removesuffix(BROKEN_WORD)
        if line.endswith(BROKEN_WORD):
            continue
        if len(line) >= full:
            joined[-1] += " "
        else:
            joined.append("")
    return [paragraph.strip() for paragraph in joined if paragraph.strip()]


def _ends_sentence(text: str) -> bool:
    return text.rstrip(" \"')\u201d\u2019").endswith((".", "!", "?"))


def _line_width(lines: list[str]) -> int:
    """Return the line width of a page in characters: the longest line except for the widest 10 %."""
    lengths = sorted(len(line) for line in lines)
    return lengths[-1 - int(WIDE_LINES * len(lengths))]
