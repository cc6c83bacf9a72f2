"""The visible lines of a PDF, page by page, by PDFium or by pdfminer.six.

Limitations: PDFium is not thread-safe, and either may take very long: use processes with limits. Pages that PDFium
cannot load are left out.
"""

from collections.abc import Iterator
from contextlib import closing
from io import BytesIO
from itertools import islice
from typing import Any

import msgspec

MAX_PAGES = 2_000  # of one document, that are read
PAGES_TO_JUDGE = 3  # first pages that are examined for images, or for text with the slower engine

PASSWORD_ERRORS = (4, 5)  # PDFium: wrong password, unknown security handler


class EncryptedPdfError(ValueError):
    """Raised for a document that opens only with a password."""


class DamagedPdfError(ValueError):
    """Raised for a document that cannot be opened, or none of whose pages can."""


class PdfPages(msgspec.Struct):
    """The text of the pages in order, one visible line a line.

    `count` is the number of pages, `created` the creation date in the metadata. `images`: the first pages hold images;
    set only when there is no text.
    """

    texts: list[str]
    count: int
    images: bool = False
    created: str = ""


def pdfium_pages(data: bytes, max_characters: int) -> PdfPages:
    """Return the pages by PDFium. Raises EncryptedPdfError, and DamagedPdfError when no page can be opened."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if error.err_code in PASSWORD_ERRORS:
            raise EncryptedPdfError from None
        raise DamagedPdfError(str(error)) from None
    with closing(document):
        count = len(document)
        texts = list(_within(_pdfium_texts(document), max_characters))
        if not texts:
            raise DamagedPdfError("no page can be opened" if count else "no pages")
        images = not any(text.strip() for text in texts) and _has_images(document)
        return PdfPages(texts, count, images, document.get_metadata_value("CreationDate").removeprefix("D:"))


def pdfminer_pages(data: bytes, max_characters: int) -> PdfPages:
    """Return the pages by pdfminer.six; only the first ones when these are empty.

    Raises EncryptedPdfError, and DamagedPdfError when the document cannot be read.
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
