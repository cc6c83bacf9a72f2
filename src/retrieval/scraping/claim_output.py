"""Output of the scraper for each claim: a journal of finished rows, and the output files when all rows are done.

The output is `<id>.json`, line k for row k, with `<id>.log.jsonl` and `<id>.manifest.json` beside it. Rows of an
existing output, complete or not, are reused if they match the TSV file. The output may also be from the published
scraper. If the TSV file has changed since, texts are reused by URL.
"""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from src.atomic_file import atomic
from src.records import UrlRow
from src.retrieval.leakage import Leakage
from src.retrieval.scraping.frontier import Place
from src.retrieval.scraping.page_log import PageLog, is_final, log_path
from src.retrieval.scraping.plan import ClaimUrls, moved_rows, settled_rows
from src.retrieval.scraping.scraper import document_of
from src.retrieval.scraping.sources import PageFolder
from src.retrieval.url_rows import read_url_rows
from src.runner.console import Progress
from src.runner.fingerprint import changed_inputs, differences
from src.runner.journal import Journal
from src.runner.manifest import new_manifest, read_manifest
from src.runner.output import Failure, write_beside
from src.store import encode_line


class RowEntry(msgspec.Struct, frozen=True, omit_defaults=True):
    """A finished row in the journal.

    `log`: log line of the row.
    `url2text`: sentences of the page.
    `failure`: error of this program, or None.
    """

    log: PageLog
    url2text: list[str]
    failure: Failure | None = None


@dataclass(frozen=True)
class FileRun:
    """Settings of a run for its output files.

    `settings`: settings of the step, for the manifests.
    `overwrite`: replace existing outputs.
    `retry_failed`: try rows with a transient failure again.
    `keep`: folder of saved pages, in which the log of each claim is written, too; or None.
    """

    settings: msgspec.Struct
    overwrite: bool = False
    retry_failed: bool = False
    keep: PageFolder | None = None


class ClaimOutput:
    """Output of one claim: `give` it the rows of the URL file, `settle` each row with its result, then `finish`.

    A row may be settled before `give`, if it shares its URL with a row of an earlier claim.

    `again`: True if the claim's output was opened before in this run; rows of an existing output are then not reused a
        second time.
    """

    def __init__(self, claim: ClaimUrls, run: FileRun, leakage: Leakage, *, again: bool = False) -> None:
        self.rows: Sequence[UrlRow] | None = None
        self._claim = claim
        self._run = run
        self._leakage = leakage
        self._began = time.perf_counter()
        self._retry = run.retry_failed and not again
        self.answered = False  # True if a server answered for one of the rows, now or at an earlier start
        self._journal = Journal(
            claim.output,
            claim.fingerprint,
            RowEntry,
            lambda entry: entry.log.row,
            self._is_done,
            overwrite=run.overwrite and not again,
        )
        if not again and not self._journal.anew and claim.output.exists():
            self._take_over()

    def give(self, rows: Sequence[UrlRow]) -> list[int]:
        """Set the rows of the TSV file; return the indexes (from 0) of the rows without a result."""
        self.rows = rows
        return [row for row in range(len(rows)) if row not in self._journal]

    def is_settled(self, row: int) -> bool:
        return row in self._journal

    def is_complete(self) -> bool:
        """Return True if the rows are known and all of them have a result."""
        return self.rows is not None and len(self._journal) >= len(self.rows)

    def settle(self, log: PageLog, sentences: Sequence[str], failure: Failure | None = None) -> None:
        """Store the result of a row in the journal. Raises OutputError when it cannot be written."""
        self.answered |= log.is_answered
        entry = RowEntry(log, [] if log.reason else list(sentences), failure)
        self._journal.append([entry], sync=False)

    def finish(self, copy_log_to: Path | None = None) -> int:
        """Write the output files; return the number of rows that failed through an error of this program.

        `copy_log_to`: path of a copy of the log; by default there is none.

        Raises OutputError when a file cannot be written.
        """
        rows, failures = self.rows or [], list[Failure]()
        counts = Counter(rows=len(rows), pages=0, sentences=0, bytes=0)
        output = self._claim.output
        with atomic(output) as store, atomic(log_path(output)) as log:
            for row, entry in zip(rows, self._journal.entries(range(len(rows))), strict=True):
                store.write(encode_line(document_of(row, entry.url2text)))
                log.write(encode_line(entry.log))
                counts.update(pages=bool(entry.url2text), sentences=len(entry.url2text), bytes=entry.log.bytes)
                failures += [entry.failure] if entry.failure else []
        if copy_log_to:
            with atomic(copy_log_to) as copy:
                copy.write(log_path(output).read_bytes())
        seconds = {"wall": time.perf_counter() - self._began}
        manifest = new_manifest(self._claim.fingerprint, self._run.settings, seconds=seconds, counts=dict(counts))
        write_beside(output, failures, manifest)
        self._journal.remove()
        self._journal.close()
        return len(failures)

    def close(self) -> None:
        """Close the journal, which keeps the finished rows for the next start."""
        self._journal.close()

    def _is_done(self, entry: RowEntry) -> bool:
        """Return True if the row of an entry from an earlier start need not be tried again."""
        self.answered |= entry.log.is_answered
        return entry.failure is None and is_final(entry.log, retry=self._retry)

    def _take_over(self) -> None:
        """Store the rows of an existing output that need no new attempt; rows that are now refused lose their text."""
        claim, manifest = self._claim, read_manifest(self._claim.output)
        if manifest and differences(manifest.fingerprint, claim.fingerprint):
            return
        rows = read_url_rows(claim.tsv)
        if manifest and changed_inputs(manifest.fingerprint, claim.fingerprint):
            reusable = moved_rows(claim.output, rows)
        else:
            reusable = settled_rows(claim.output, rows)
        for log, sentences in reusable:
            if refused := self._leakage.of_url(claim.claim_id, log.url):
                log = PageLog(row=log.row, url=log.url, reason=refused)
            if log.row not in self._journal and is_final(log, retry=self._run.retry_failed):
                self.settle(log, sentences)


class OpenClaims:
    """Results of rows in files (a `RowSink`): the outputs of all claims that are being scraped.

    A claim is opened early if it shares a URL with an earlier claim, so that its row gets a result before its turn.

    `early`: largest number of claims that are open before their turn; each of them is an open file.
    `answered` (attribute): True if a server answered for a row of a claim that was opened, now or at an earlier start.
    `faults` (attribute): number of rows that failed through an error of this program.
    """

    def __init__(
        self,
        claims: Sequence[ClaimUrls],
        run: FileRun,
        leakage: Leakage,
        progress: Progress,
        *,
        early: int = 200,
    ) -> None:
        self.faults = 0
        self.answered = False
        self._claims = {claim.claim_id: claim for claim in claims}
        self._run = run
        self._leakage = leakage
        self._progress = progress
        self._most_early = early
        self._outputs: dict[int, ClaimOutput] = {}
        self._opened: set[int] = set()
        self._early: Counter[int] = Counter()  # number of rows with a result before their claim's turn, by claim_id
        self._finished: set[int] = set()

    def begin(self, claim_id: int, rows: Sequence[UrlRow]) -> list[int]:
        """Begin a claim with these rows; return the indexes (from 0) of the rows without a result.

        Raises InputError for a damaged journal or output, BusyError when another run is scraping the claim.
        """
        todo = self._output(claim_id).give(rows)
        self._finish_if_complete(claim_id)
        self._progress.add(len(rows) - len(todo) - self._early.pop(claim_id, 0), 0)
        return todo

    def is_settled(self, place: Place) -> bool:
        return place.claim_id in self._finished or self._output(place.claim_id).is_settled(place.row)

    def settle(self, place: Place, log: PageLog, sentences: Sequence[str], failure: Failure | None = None) -> None:
        """Store the result of a row, and write the claim's output files after its last row.

        Raises OutputError when a file cannot be written.
        """
        output = self._output(place.claim_id)
        output.settle(log, sentences, failure)
        if self._run.keep:
            self._run.keep.note(place.claim_id, log)
        if output.rows is None:
            self._early[place.claim_id] += 1
        self._finish_if_complete(place.claim_id)
        self._progress.add(1, bool(log.reason))

    def check_finished(self) -> None:
        """Raise RuntimeError if a claim has no output at the end of the run, so that no row is lost silently."""
        if missing := sorted(self._claims.keys() - self._finished):
            raise RuntimeError(f"claims without an output at the end of the run: {missing}")

    def close(self) -> None:
        """Close the journals of incomplete claims, which keep the finished rows."""
        for output in self._outputs.values():
            output.close()
        self._outputs.clear()

    def _output(self, claim_id: int) -> ClaimOutput:
        if claim_id not in self._outputs:
            self._close_an_early_one()
            again = claim_id in self._opened
            self._outputs[claim_id] = ClaimOutput(self._claims[claim_id], self._run, self._leakage, again=again)
            self._opened.add(claim_id)
            self.answered |= self._outputs[claim_id].answered
        return self._outputs[claim_id]

    def _close_an_early_one(self) -> None:
        """Close one of the claims that are open before their turn, if there are too many; it is opened again later."""
        early = [claim_id for claim_id, output in self._outputs.items() if output.rows is None]
        if len(early) >= self._most_early:
            self._outputs.pop(early[0]).close()

    def _finish_if_complete(self, claim_id: int) -> None:
        output = self._outputs[claim_id]
        if output.is_complete():
            keep = self._run.keep
            self.faults += output.finish(keep.log_path(claim_id) if keep else None)
            self._finished.add(claim_id)
            del self._outputs[claim_id]
