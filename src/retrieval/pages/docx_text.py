"""Text of a Word document (.docx), one line per paragraph or row of a table, by python-docx.

Limitations: headers, footers, footnotes, comments and text boxes are left out. Older documents (.doc) are not read. The
date is that of the last change in the properties of the file, which a program may have set to anything.
"""

from collections.abc import Iterator
from datetime import datetime
from io import BytesIO
from typing import Any, NamedTuple

EXTRACTOR = "python-docx"
TEMPLATE = datetime(2013, 12, 23, 23, 15)  # of the template of python-docx, in documents that programs made


class DamagedDocxError(ValueError):
    """Raised for a document that cannot be opened."""


class DocxText(NamedTuple):
    """Text of a document: its lines in order, and the day of its last change, `YYYYMMDD` or ""."""

    lines: list[str]
    changed: str


def read_docx(data: bytes) -> DocxText:
    """Return the text of a document. Raises DamagedDocxError when it cannot be opened."""
    import docx

    try:
        document = docx.Document(BytesIO(data))
        properties = document.core_properties
        changed = properties.modified
        is_known = changed is not None and changed.replace(tzinfo=None) != TEMPLATE
        return DocxText(list(_lines(document)), f"{changed:%Y%m%d}" if changed and is_known else "")
    except MemoryError:
        raise
    except Exception as error:  # python-docx raises errors of zipfile, lxml and its own, and KeyError for missing parts
        raise DamagedDocxError(f"damaged document: {type(error).__name__}") from None


def _lines(document: Any) -> Iterator[str]:
    for block in document.iter_inner_content():
        if hasattr(block, "rows"):
            for row in block.rows:
                cells = dict.fromkeys(cell.text.strip() for cell in row.cells)  # a merged cell is there several times
                yield "; ".join(filter(None, cells)).replace("\n", " ")
        else:
            yield from block.text.splitlines()
