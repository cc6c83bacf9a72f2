"""Rows of an existing output: rows that match the TSV, or texts of URLs that moved in it.

The output may be from an earlier run, with a log, or from the published scraper, without a log and with a torn last
line.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from src.errors import InputError
from src.json_decoding import decode
from src.records import Document, UrlRow
from src.retrieval.scraping.page_log import PageLog, log_path, read_log
from src.store import located, read_bytes, read_records


def settled_rows(output: Path, rows: Sequence[UrlRow]) -> Iterator[tuple[PageLog, list[str]]]:
    """Yield log and sentences of each line. Raises InputError when a line does not belong to its row's URL."""
    documents = documents_that_fit(output, rows)
    for log, document in zip(logs_of(output, documents), documents, strict=True):
        yield log, document.url2text


def logs_of(output: Path, documents: Sequence[Document]) -> list[PageLog]:
    """Return a log entry for each line of the output, also where its log has none. Raises InputError as `read_log`."""
    logs = {log.row: log for log in read_log(log_path(output))}
    return [logs.get(row) or _unlogged(row, document) for row, document in enumerate(documents)]


def moved_rows(output: Path, rows: Sequence[UrlRow]) -> Iterator[tuple[PageLog, list[str]]]:
    """Yield log and sentences of the rows whose URL gave text in the earlier output, at any line."""
    logs = read_log(log_path(output))
    with_text = {log.url: (log, page.url2text) for log, page in zip(logs, read_records(output, Document), strict=False)
                 if page.url2text and page.url == log.url}  # fmt: skip
    for row, wanted in enumerate(rows):
        if wanted.url in with_text:
            log, sentences = with_text[wanted.url]
            yield msgspec.structs.replace(log, row=row), sentences


def documents_that_fit(output: Path, rows: Sequence[UrlRow]) -> list[Document]:
    """Return the lines of an existing store, without a torn last line.

    Raises InputError when a line does not belong to its row's URL, or when there are more lines than rows.
    """
    documents = [document for _, document in located(_whole_lines(read_bytes(output)), Document, output)]
    for number, document in enumerate(documents):
        if number >= len(rows) or document.url != rows[number].url:
            expected = rows[number].url if number < len(rows) else "no such row"
            message = f"{document.url}: the TSV has {expected} there; --overwrite replaces the file"
            raise InputError(message, path=output, line=number + 1, field="url")
    return documents


def _whole_lines(data: bytes) -> bytes:
    whole, _, last = data.rpartition(b"\n")
    try:
        decode(last, Document)
    except msgspec.DecodeError:
        return whole
    return data


def _unlogged(row: int, document: Document) -> PageLog:
    reason = "" if document.url2text else "has no text, and no scraping log says why"
    return PageLog(row=row, url=document.url, reason=reason, sentences=len(document.url2text))
