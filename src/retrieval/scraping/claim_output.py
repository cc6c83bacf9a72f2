"""One claim's file in the making: the rows of its TSV, which of them are done, and the output once all are.

The output is `<id>.json`, line k for row k; beside it stand `<id>.log.jsonl` and `<id>.manifest.json`. A store that is
there already, whole or in part, is taken over row by row where it fits the TSV, also one that the published scraper
began.
"""

import time
from argparse import Namespace
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from src.errors import InputError
from src.records import Document, UrlRow
from src.retrieval.scraping.claim_urls import ClaimUrls
from src.retrieval.scraping.page_log import PageLog, log_path, read_log
from src.retrieval.scraping.row_journal import RowEntry, RowJournal
from src.runner.fingerprint import changed_inputs
from src.runner.manifest import new_manifest, read_manifest
from src.runner.output import Failure, write_beside
from src.store import atomic, encode_line, read_records

FAULT = "fault: "  # how the reason begins when it is this program that failed


class ClaimOutput:
    """`settle` each row, then `finish`. `rows` may come later than the first settled row."""

    def __init__(self, claim: ClaimUrls, args: Namespace, *, overwrite: bool) -> None:
        self.output = claim.output
        self.rows: Sequence[UrlRow] | None = None
        self.began = time.perf_counter()
        self._fingerprint = claim.fingerprint
        self._args = args
        self._journal = RowJournal(claim.output, claim.fingerprint, overwrite=overwrite)

    def give(self, rows: Sequence[UrlRow]) -> list[int]:
        """Takes the rows of the TSV; the numbers of those that are still to do. Raises InputError."""
        if not self._args.overwrite:
            self._take_over(rows)
        self.rows = rows
        return [row for row in range(len(rows)) if row not in self._journal]

    def is_settled(self, row: int) -> bool:
        return row in self._journal

    def is_complete(self) -> bool:
        return self.rows is not None and len(self._journal) >= len(self.rows)

    def settle(self, log: PageLog, sentences: Sequence[str], failure: Failure | None = None) -> None:
        """The row is done. Raises OutputError."""
        self._journal.add(RowEntry(log, [] if log.reason else list(sentences), failure))

    def finish(self, copy_log_to: Path | None = None) -> int:
        """Writes the output whole; the number of rows that failed by a fault. Raises OutputError."""
        rows, failures = self.rows or [], list[Failure]()
        counts = Counter(rows=len(rows), pages=0, sentences=0, bytes=0)
        with atomic(self.output) as store, atomic(log_path(self.output)) as log:
            for row, entry in zip(rows, self._journal.entries(len(rows)), strict=True):
                store.write(encode_line(_document(row, entry)))
                log.write(encode_line(entry.log))
                counts.update(pages=bool(entry.url2text), sentences=len(entry.url2text), bytes=entry.log.bytes)
                failures += [entry.failure] if entry.failure else []
        if copy_log_to:
            with atomic(copy_log_to) as copy:
                copy.write(log_path(self.output).read_bytes())
        seconds = {"wall": time.perf_counter() - self.began}
        manifest = new_manifest(self._fingerprint, self._args, seconds=seconds, counts=dict(counts))
        write_beside(self.output, failures, manifest)
        self._journal.remove()
        return len(failures)

    def close(self) -> None:
        """Leaves the claim as it is; what is done is kept for the next start."""
        self._journal.close()

    def _take_over(self, rows: Sequence[UrlRow]) -> None:
        """Rows that are settled in an output that is there already."""
        manifest = read_manifest(self.output)
        if not self.output.exists() or (manifest and changed_inputs(manifest.fingerprint, self._fingerprint)):
            return
        logs = {log.row: log for log in read_log(log_path(self.output))}
        for row, document in enumerate(documents_that_fit(self.output, rows)):
            log = logs.get(row) or _unlogged(row, document)
            if row not in self._journal and is_final(log, retry=self._args.retry_failed):
                self._journal.add(RowEntry(log, document.url2text))


def documents_that_fit(output: Path, rows: Sequence[UrlRow]) -> list[Document]:
    """The lines of a store that is there. Raises InputError when one is not of its row's URL, or there are too many."""
    documents = read_records(output, Document)
    for number, document in enumerate(documents):
        if number >= len(rows) or document.url != rows[number].url:
            expected = rows[number].url if number < len(rows) else "no such row"
            message = f"{document.url}: the TSV has {expected} there; --overwrite replaces the file"
            raise InputError(message, path=output, line=number + 1, field="url")
    return documents


def is_final(log: PageLog, *, retry: bool) -> bool:
    """Whether the row need not be tried again: faults always are, what another day may bring on `--retry_failed`."""
    return not log.reason.startswith(FAULT) and not (retry and log.transient)


def _unlogged(row: int, document: Document) -> PageLog:
    reason = "" if document.url2text else "empty in a store that was there before, without a log"
    return PageLog(row=row, url=document.url, reason=reason, sentences=len(document.url2text))


def _document(row: UrlRow, entry: RowEntry) -> Document:
    return Document(claim_id=row.claim_id, type=row.type, query=row.query, url=row.url, url2text=entry.url2text)
