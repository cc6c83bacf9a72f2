"""Output of one claim while it is scraped: the rows of its TSV, the finished rows, and the files once all rows are
done.

The output is `<id>.json`, line k for row k, with `<id>.log.jsonl` and `<id>.manifest.json` beside it. Rows of a store
that exists already, whole or in part, are taken over where they match the TSV. This also holds for a store that the
published scraper began. Where the TSV has changed since, texts are taken over by their URLs.
"""

import time
from argparse import Namespace
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from src.atomic_file import atomic
from src.records import Document, UrlRow
from src.retrieval.leakage.filters import Leakage
from src.retrieval.scraping.claim_urls import ClaimUrls
from src.retrieval.scraping.earlier_output import moved_rows, settled_rows
from src.retrieval.scraping.page_log import PageLog, is_final, log_path
from src.retrieval.scraping.row_journal import RowEntry, RowJournal
from src.retrieval.url_rows import read_url_rows
from src.runner.fingerprint import changed_inputs, differences
from src.runner.manifest import new_manifest, read_manifest
from src.runner.output import Failure, write_beside
from src.store import encode_line


class ClaimOutput:
    """Output of one claim: `settle` each row, then `finish`. `rows` may be given after the first row is settled."""

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

    @property
    def answered(self) -> bool:
        """True if a server answered for one of the rows, now or at an earlier start."""
        return self._journal.answered

    def give(self, rows: Sequence[UrlRow]) -> list[int]:
        """Set the rows of the TSV; return the numbers of the rows still to do."""
        self.rows = rows
        return [row for row in range(len(rows)) if row not in self._journal]

    def is_settled(self, row: int) -> bool:
        return row in self._journal

    def is_complete(self) -> bool:
        return self.rows is not None and len(self._journal) >= len(self.rows)

    def settle(self, log: PageLog, sentences: Sequence[str], failure: Failure | None = None) -> None:
        """Record a row as done. Raises OutputError when the journal cannot be written."""
        self._journal.add(RowEntry(log, [] if log.reason else list(sentences), failure))

    def finish(self, copy_log_to: Path | None = None) -> int:
        """Write the output atomically; return the number of rows that failed through a fault of this program.

        Raises OutputError when a file cannot be written.
        """
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
        """Close the journal; finished rows are kept for the next start."""
        self._journal.close()

    def _take_over(self) -> None:
        """Settle the rows of an existing output that need no new attempt; rows that are refused now lose their text."""
        claim, manifest = self._claim, read_manifest(self._claim.output)
        if manifest and differences(manifest.fingerprint, claim.fingerprint):
            return
        rows = read_url_rows(claim.tsv)
        if manifest and changed_inputs(manifest.fingerprint, claim.fingerprint):
            found = moved_rows(claim.output, rows)
        else:
            found = settled_rows(claim.output, rows)
        for log, sentences in found:
            if refused := self._leakage.of_url(claim.claim_id, log.url):
                log = PageLog(row=log.row, url=log.url, reason=refused)
            if log.row not in self._journal and is_final(log, retry=self._args.retry_failed):
                self.settle(log, sentences)


def _document(row: UrlRow, entry: RowEntry) -> Document:
    return Document(claim_id=row.claim_id, type=row.type, query=row.query, url=row.url, url2text=entry.url2text)
