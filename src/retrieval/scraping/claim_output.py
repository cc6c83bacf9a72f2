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

import msgspec

from src.errors import InputError
from src.records import Document, UrlRow
from src.retrieval.leakage.filters import Leakage
from src.retrieval.scraping.claim_urls import ClaimUrls
from src.retrieval.scraping.page_log import PageLog, is_final, log_path, read_log
from src.retrieval.scraping.row_journal import RowEntry, RowJournal
from src.retrieval.url_rows import read_url_rows
from src.runner.fingerprint import Fingerprint, changed_inputs, differences
from src.runner.manifest import new_manifest, read_manifest
from src.runner.output import Failure, write_beside
from src.store import UNREADABLE, atomic, encode_line, located, read_bytes


class ClaimOutput:
    """`settle` each row, then `finish`. `rows` may come later than the first settled row."""

    def __init__(self, claim: ClaimUrls, args: Namespace, leakage: Leakage, *, again: bool = False) -> None:
        self.rows: Sequence[UrlRow] | None = None
        self._claim = claim
        self._args = args
        self._leakage = leakage
        self._began = time.perf_counter()
        self._journal = RowJournal(
            claim.output,
            claim.fingerprint,
            overwrite=args.overwrite and not again,
            retry=args.retry_failed and not again,
        )
        if not again and not self._journal.anew and claim.output.exists():
            self._take_over()

    def give(self, rows: Sequence[UrlRow]) -> list[int]:
        """Takes the rows of the TSV; the numbers of those that are still to do."""
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
        output = self._claim.output
        with atomic(output) as store, atomic(log_path(output)) as log:
            for row, entry in zip(rows, self._journal.entries(len(rows)), strict=True):
                store.write(encode_line(_document(row, entry)))
                log.write(encode_line(entry.log))
                counts.update(pages=bool(entry.url2text), sentences=len(entry.url2text), bytes=entry.log.bytes)
                failures += [entry.failure] if entry.failure else []
        if copy_log_to:
            with atomic(copy_log_to) as copy:
                copy.write(log_path(output).read_bytes())
        seconds = {"wall": time.perf_counter() - self._began}
        manifest = new_manifest(self._claim.fingerprint, self._args, seconds=seconds, counts=dict(counts))
        write_beside(output, failures, manifest)
        self._journal.remove()
        return len(failures)

    def close(self) -> None:
        """Leaves the claim as it is; what is done is kept for the next start."""
        self._journal.close()

    def _take_over(self) -> None:
        """Rows that are settled in an output that is there already, but for what may not be evidence any more."""
        claim, manifest = self._claim, read_manifest(self._claim.output)
        if manifest and (_unlike(manifest.fingerprint, claim.fingerprint)):
            return
        logs = {log.row: log for log in read_log(log_path(claim.output))}
        for row, document in enumerate(documents_that_fit(claim.output, read_url_rows(claim.tsv))):
            log = logs.get(row) or _unlogged(row, document)
            if refused := self._leakage.of_url(claim.claim_id, document.url):
                log = PageLog(row=row, url=document.url, reason=refused)
            if row not in self._journal and is_final(log, retry=self._args.retry_failed):
                self.settle(log, document.url2text)


def documents_that_fit(output: Path, rows: Sequence[UrlRow]) -> list[Document]:
    """The lines of a store that is there, without a last one that is torn.

    Raises InputError when a line is not of its row's URL, or there are too many.
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
        msgspec.json.decode(last, type=Document)
    except UNREADABLE:
        return whole
    return data


def _unlike(theirs: Fingerprint, ours: Fingerprint) -> bool:
    return bool(differences(theirs, ours) or changed_inputs(theirs, ours))


def _unlogged(row: int, document: Document) -> PageLog:
    reason = "" if document.url2text else "empty in a store that was there before, without a log"
    return PageLog(row=row, url=document.url, reason=reason, sentences=len(document.url2text))


def _document(row: UrlRow, entry: RowEntry) -> Document:
    return Document(claim_id=row.claim_id, type=row.type, query=row.query, url=row.url, url2text=entry.url2text)
