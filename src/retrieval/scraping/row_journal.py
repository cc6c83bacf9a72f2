"""The progress file of one claim, `<id>.json.progress`: a line for every finished row, in order of time.

Rows that failed through a fault of this program are fetched again. Only positions in the file are held in memory, not
texts.

Limitations: lines are not synced one by one, so a power cut may lose the last seconds; a killed process loses nothing.
"""

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from src.retrieval.scraping.page_log import PageLog, is_final
from src.runner.fingerprint import Fingerprint
from src.runner.output import Failure
from src.runner.progress_file import ProgressFile


class RowEntry(msgspec.Struct, frozen=True, omit_defaults=True):
    """A finished row: its log line, its sentences, and the failure if this program was at fault."""

    log: PageLog
    url2text: list[str]
    failure: Failure | None = None


class RowHeader(msgspec.Struct, frozen=True, omit_defaults=True):
    """The run that a journal belongs to; `anew`: it replaces an older output, whose rows do not count."""

    fingerprint: Fingerprint
    anew: bool = False


class RowJournal:
    """Journal of the finished rows: `with RowJournal(output, fingerprint) as journal:`.

    `overwrite` begins anew; with `retry`, rows with transient failures do not count as done. Rows of a TSV that has
    changed since are dropped. `answered`: a server answered for one of the rows, now or at an earlier start.

    Raises BusyError when another run holds the file, InputError as `ProgressFile.resume`, OutputError when it cannot be
    written.
    """

    def __init__(self, output: Path, fingerprint: Fingerprint, *, overwrite: bool = False, retry: bool = False) -> None:
        self.anew = overwrite
        self.answered = False
        self._retry = retry
        self._fingerprint = fingerprint
        self._places: dict[int, int] = {}
        self._file = ProgressFile(output, RowHeader, RowEntry)
        self._is_empty = True
        try:
            self._read()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __contains__(self, row: int) -> bool:
        return row in self._places

    def __len__(self) -> int:
        return len(self._places)

    def add(self, entry: RowEntry) -> None:
        """Record the row as done, in place of an earlier entry of it. Raises OutputError (disk full)."""
        records = [RowHeader(self._fingerprint, self.anew), entry] if self._is_empty else [entry]
        self.answered |= entry.log.is_answered
        self._places[entry.log.row] = self._file.add(*records, sync=False)
        self._is_empty = False

    def entries(self, rows: int) -> Iterator[RowEntry]:
        """Yield the entries of rows 0 to `rows`-1 in order, read from the file one by one. Raises InputError."""
        return self._file.entries_at(self._places[row] for row in range(rows))

    def remove(self) -> None:
        """Remove the progress file: the claim's output is complete."""
        self._file.remove()
        self._file.close()

    def close(self) -> None:
        """Close the file; one without a finished row is removed."""
        if not self._places:
            self._file.remove()
        self._file.close()

    def _read(self) -> None:
        header = self._file.resume(self._fingerprint, overwrite=self.anew)
        if header is not None:
            self.anew = header.anew
            for place, entry in self._file.entries():
                self.answered |= entry.log.is_answered
                if entry.failure is None and is_final(entry.log, retry=self._retry):
                    self._places[entry.log.row] = place
        self._is_empty = not self._places
        if self._is_empty:
            self._file.clear()
