"""`X.json.progress`: what a killed run had finished of an output, for the next start to go on from.

The first line says which run it is, each other line holds finished work. Lines are sealed (`src/append_only.py`): a
torn last line is dropped, a damaged line and what is behind it is done again. The file is locked while a run is at
work, so that a second run on the same output is refused.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Generic, Protocol, TypeVar

import msgspec

from src.append_only import AppendOnlyFile, sealed, unsealed
from src.errors import InputError, OutputError
from src.json_decoding import decode
from src.runner.console import say_error
from src.runner.fingerprint import Fingerprint, changed_inputs, differences

_ANEW = "--overwrite begins anew, and so does a start after it was removed"


class HasFingerprint(Protocol):
    """The first line of a progress file."""

    @property
    def fingerprint(self) -> Fingerprint: ...


Header = TypeVar("Header", bound=HasFingerprint)
Entry = TypeVar("Entry")


class ProgressFile(Generic[Header, Entry]):
    """The progress file beside an output: `resume`, then `entries`, then `add`.

    Raises BusyError when another run holds it, OutputError when it cannot be made.
    """

    def __init__(self, output: Path, header: type[Header], entry: type[Entry]) -> None:
        self.path = progress_path(output)
        self._header, self._entry = header, entry
        self._file = AppendOnlyFile(self.path)

    def resume(self, ours: Fingerprint, *, overwrite: bool, folders: bool = True) -> Header | None:
        """Return the first line of the run that is to be gone on with, None where there is none.

        What was finished from an input that changed since is dropped; without `folders`, a folder may change. Where
        nothing was finished, the file may be of any run.

        Raises:
            InputError: It is of a run with other arguments, of an earlier version, or damaged in its first line.
        """
        lines = [line for _, line in islice(self._file.lines(), 2)]
        if overwrite or len(lines) < 2:
            self.clear()
            return None
        header = self._read_header(lines[0])
        if found := differences(header.fingerprint, ours):
            message = (
                f"an unfinished run with other arguments is kept here ({found}); finish it, or --overwrite begins anew"
            )
            raise InputError(message, path=self.path)
        if changed_inputs(header.fingerprint, ours, folders=folders):
            self.clear()
        return header

    def entries(self) -> Iterator[tuple[int, Entry]]:
        """Yield place and content of each line behind the first, up to the end or to one that is damaged.

        The file is cut there. Raises InputError where a line is of another version.
        """
        end = 0
        for number, (place, line) in enumerate(self._file.lines(), start=1):
            body = unsealed(line)
            if body is None:
                told = "damaged; what it and the lines behind it held is done again"
                say_error(str(InputError(told, path=self.path, line=number)))
                break
            if number > 1:
                yield place, self._decoded(body, number)
            end = place + len(line)
        self._file.cut(end)

    def entries_at(self, places: Iterable[int]) -> Iterator[Entry]:
        """Yield the contents of the lines that begin there. Raises InputError where one was damaged meanwhile."""
        for line in self._file.lines_at(places):
            body = unsealed(line)
            if body is None:
                raise InputError("was damaged while it was in use; start again to do its work again", path=self.path)
            yield decode(body, self._entry)

    def add(self, *records: Header | Entry, sync: bool = True) -> int:
        """Add a line for each record, all of them or none; return where the last one begins. Raises OutputError."""
        lines = [sealed(msgspec.json.encode(record)) for record in records]
        try:
            place = self._file.append(b"".join(lines), sync=sync)
        except OutputError as error:
            raise OutputError(f"{error}; what was finished is kept, start again to go on") from None
        return place + sum(map(len, lines[:-1]))

    def clear(self) -> None:
        """Empty the file: another run begins."""
        self._file.cut(0)

    def remove(self) -> None:
        """Remove the file, which is not needed any more."""
        self._file.remove()

    def close(self) -> None:
        """Let other runs have it."""
        self._file.close()

    def _read_header(self, line: bytes) -> Header:
        body = unsealed(line)
        if body is None and line.startswith(b"{"):
            told = f"is a progress file of an earlier version; finish its run with that version. {_ANEW}"
            raise InputError(told, path=self.path)
        if body is None:
            raise InputError(f"damaged progress file; {_ANEW}", path=self.path, line=1)
        try:
            return decode(body, self._header)
        except msgspec.DecodeError:
            raise self._other_version(1) from None

    def _decoded(self, body: bytes, number: int) -> Entry:
        try:
            return decode(body, self._entry)
        except msgspec.DecodeError:
            raise self._other_version(number) from None

    def _other_version(self, number: int) -> InputError:
        told = f"was written by another version; finish its run with that version. {_ANEW}"
        return InputError(told, path=self.path, line=number)


def progress_path(output: Path) -> Path:
    """`out/dev_top_k_qa.json` -> `out/dev_top_k_qa.json.progress`."""
    return output.with_name(f"{output.name}.progress")
