"""The visible lines of a PDF, page by page, by PDFium or by pdfminer.six.

But: PDFium is not thread-safe and either may take very long: use processes with limits. Pages that PDFium cannot load
are left out.
"""

from collections.abc import Iterator
from contextlib import closing
from io import BytesIO
from itertools import islice
from typing import Any

import msgspec

MAX_PAGES = 2_000  # of one document that are read
PAGES_TO_JUDGE = 3  # first pages that are looked at for images, or for text with the slower engine

PASSWORD_ERRORS = (4, 5)  # PDFium: wrong password, unknown security handler


class EncryptedPdfError(ValueError):
    """The document opens with a password only."""


class DamagedPdfError(ValueError):
    """The document cannot be opened, or none of its pages."""


class PdfPages(msgspec.Struct):
    """The text of the pages in order, one line as it is seen a line; how many pages there are; whether with images."""

    texts: list[str]
    count: int
    images: bool = False
    created: str = ""


def pdfium_pages(data: bytes, max_characters: int) -> PdfPages:
    """The pages by PDFium. Raises EncryptedPdfError, DamagedPdfError."""
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
    """The pages by pdfminer.six; all empty when the first ones are. Raises EncryptedPdfError, DamagedPdfError."""
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
    except Exception as error:  # what is damaged makes it raise anything
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
    """The texts until they are as long as that together."""
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
