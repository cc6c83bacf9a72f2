"""Word documents: paragraphs and tables in order, date, damage; as pages of the reader."""

import zipfile
from datetime import datetime
from io import BytesIO
from pathlib import Path

import docx
import pytest

from src.retrieval.pages.docx_text import DamagedDocxError, read_docx
from src.retrieval.pages.media_type import DOCX, media_type
from src.retrieval.pages.reader import Reading, read_page

LINES = ["The report on the bay was written in spring.", "Eels swim to the Sargasso Sea, where they spawn."]


def document(*lines: str, changed: datetime | None = None) -> bytes:
    made = docx.Document()
    made.add_heading("A report")
    for line in lines:
        made.add_paragraph(line)
    table = made.add_table(rows=1, cols=3)
    table.cell(0, 0).merge(table.cell(0, 1)).text = "Eels\ncaught"
    table.cell(0, 2).text = "250 tonnes"
    made.add_paragraph("The last line of the report.")
    made.core_properties.modified = changed or datetime(2020, 10, 3)
    buffer = BytesIO()
    made.save(buffer)
    return buffer.getvalue()


def test_paragraphs_and_tables_are_lines_in_order() -> None:
    found = read_docx(document(*LINES))
    assert found.lines == ["A report", *LINES, "Eels caught; 250 tonnes", "The last line of the report."]
    assert found.changed == "20201003"


def test_the_date_of_a_template_is_none() -> None:
    assert read_docx(document(*LINES, changed=datetime(2013, 12, 23, 23, 15))).changed == ""


def test_a_document_is_a_page(tmp_path: Path) -> None:
    data = document(*LINES)
    path = tmp_path / "report"
    path.write_bytes(data)
    assert media_type(data, "") == DOCX
    page = read_page(path, url="file:report.docx", content_type="", reading=Reading())
    assert (page.media_type, page.extractor, page.date) == (DOCX, "python-docx", "2020-10-03")
    assert page.sentences == ["A report", *LINES, "Eels caught; 250 tonnes", "The last line of the report."]


def archive(**files: bytes) -> bytes:
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        for name, content in files.items():
            made.writestr(name.replace("__", "/").replace("_", "."), content)
    return buffer.getvalue()


@pytest.mark.parametrize("data", [archive(word__document_xml=b"<w/>"), document(*LINES)[:2000], b"PK\x03\x04"])
def test_a_damaged_document_is_no_page(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(DamagedDocxError, match="damaged document: "):
        read_docx(data)
    path = tmp_path / "report"
    path.write_bytes(data)
    page = read_page(path, url="file:report.docx", content_type="", reading=Reading())
    assert page.sentences == []
    assert "damaged document" in page.reason or page.reason == "not a page: application/zip"


def test_another_archive_is_no_document() -> None:
    assert media_type(archive(a_txt=b"Eels"), "") == "application/zip"
