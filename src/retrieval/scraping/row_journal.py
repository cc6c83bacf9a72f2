"""The progress file of one claim: a line for every row that is done, in the order in which rows were done.

`<id>.json.progress` begins with a header that says which run it is. Each line is written in one piece; a torn or
damaged tail is dropped, and its rows are fetched again, as are rows that failed by a fault. Only places in the file
are held in memory, not texts. The file is locked while a run is at work.

But: lines are not synced one by one, so a power cut may cost the last seconds; a killed process loses nothing.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from src.errors import InputError, OutputError
from src.json_decoding import decode
from src.retrieval.scraping.page_log import PageLog, is_final
from src.runner.fingerprint import Fingerprint, changed_inputs, differences
from src.runner.journal import lock
from src.runner.output import Failure


class RowEntry(msgspec.Struct, frozen=True, omit_defaults=True):
    """A row that is done: its line of the log, its sentences, and what went wrong where it was this program's fault."""

    log: PageLog
    url2text: list[str]
    failure: Failure | None = None


class RowHeader(msgspec.Struct, frozen=True, omit_defaults=True):
    """The run that a journal belongs to; `anew`: it was begun to replace an older output, of which nothing counts."""

    fingerprint: Fingerprint
    anew: bool = False


class RowJournal:
    """`with RowJournal(output, fingerprint) as journal:` knows the rows that are done.

    `overwrite` begins anew; with `retry`, rows are not done that another day may bring. Raises BusyError when another
    run holds the file, InputError when it belongs to a run with other arguments, OutputError when it cannot be written.
    Rows of a TSV that changed since are dropped.
    """

    def __init__(self, output: Path, fingerprint: Fingerprint, *, overwrite: bool = False, retry: bool = False) -> None:
        self.path = journal_path(output)
        self.anew = overwrite
        self._retry = retry
        self._fingerprint = fingerprint
        self._places: dict[int, int] = {}
        self._end = 0
        self._file = lock(self.path)
        try:
            self._read()
        except BaseException:
            self.close()
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
        """The row is done; a row that was done before is replaced. Raises OutputError (disk full)."""
        if not self._end:
            self._append(msgspec.json.encode(RowHeader(self._fingerprint, self.anew)) + b"\n")
        self._places[entry.log.row] = self._append(msgspec.json.encode(entry) + b"\n")

    def entries(self, rows: int) -> Iterator[RowEntry]:
        """The entries of rows 0 to `rows`-1 in order, read from the file one by one."""
        with self.path.open("rb") as file:
            for row in range(rows):
                file.seek(self._places[row])
                yield decode(file.readline(), RowEntry)

    def remove(self) -> None:
        """The claim's output is complete: the progress file is not needed any more."""
        self.path.unlink(missing_ok=True)
        self.close()

    def close(self) -> None:
        """Gives the file free; one in which no row is done goes."""
        if self._file >= 0:
            if not self._places:
                self.path.unlink(missing_ok=True)
            os.close(self._file)
            self._file = -1

    def _read(self) -> None:
        with self.path.open("rb") as file:
            header = file.readline()
            if self.anew or not self._belongs(header):
                os.ftruncate(self._file, 0)
                return
            self._end = len(header)
            for line in file:
                try:
                    entry = decode(line, RowEntry)
                except msgspec.DecodeError:
                    break
                if not line.endswith(b"\n"):
                    break
                if entry.failure is None and is_final(entry.log, retry=self._retry):
                    self._places[entry.log.row] = self._end
                self._end += len(line)
        os.ftruncate(self._file, self._end if self._places else 0)
        self._end = self._end if self._places else 0

    def _belongs(self, header: bytes) -> bool:
        """Whether the rows in the file are this run's. Raises InputError when they are of a run made otherwise."""
        try:
            begun = decode(header, RowHeader)
        except msgspec.DecodeError:
            return False
        theirs = begun.fingerprint
        if found := differences(theirs, self._fingerprint):
            message = (
                f"an unfinished run with other arguments is kept here ({found}); finish it, or --overwrite begins anew"
            )
            raise InputError(message, path=self.path)
        self.anew = begun.anew
        return not changed_inputs(theirs, self._fingerprint)

    def _append(self, data: bytes) -> int:
        """Writes at the end of the file; where it begins. Raises OutputError, after which the file is as it was."""
        place = self._end
        try:
            written = 0
            while written < len(data):
                written += os.write(self._file, data[written:])
        except OSError as error:
            os.ftruncate(self._file, place)
            raise OutputError(
                f"cannot write {self.path}: {error.strerror or error}; what was finished is kept, start again to go on"
            ) from None
        self._end += len(data)
        return place


def journal_path(output: Path) -> Path:
    """`knowledge_store/dev/0.json` -> `knowledge_store/dev/0.json.progress`."""
    return output.with_name(f"{output.name}.progress")
