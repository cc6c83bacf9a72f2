"""Progress file `X.json.progress`: the finished part of an output, from which a killed run resumes.

The first line identifies the run, each other line holds finished work. Lines are sealed (`src/append_only.py`). A torn
last line is dropped; a damaged line and all lines after it are computed again. The file is locked during a run, so a
second run on the same output is refused.
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
    """First line of a progress file."""

    @property
    def fingerprint(self) -> Fingerprint: ...


Header = TypeVar("Header", bound=HasFingerprint)
Entry = TypeVar("Entry")


class ProgressFile(Generic[Header, Entry]):
    """The progress file of an output: call `resume`, then `entries`, then `add`.

    Raises BusyError when another run holds the file, OutputError when it cannot be created.
    """

    def __init__(self, output: Path, header: type[Header], entry: type[Entry]) -> None:
        self.path = progress_path(output)
        self._header, self._entry = header, entry
        self._file = AppendOnlyFile(self.path)

    def resume(self, ours: Fingerprint, *, overwrite: bool, folders: bool = True) -> Header | None:
        """Return the first line of the run to resume, or None if there is none.

        Finished work is dropped if an input changed since; without `folders`, a changed folder does not count. If
        nothing was finished, the file may be of any run.

        Raises:
            InputError: The file is of a run with other arguments or of another version, or its first line is damaged.
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
        """Yield offset and content of each line after the first, up to the end or to the first damaged line.

        The file is truncated there. Raises InputError when a line was written by another version.
        """
        end = 0
        for number, (place, line) in enumerate(self._file.lines(), start=1):
            body = unsealed(line)
            if body is None:
                message = "damaged; what it and the lines behind it held is done again"
                say_error(str(InputError(message, path=self.path, line=number)))
                break
            if number > 1:
                yield place, self._decoded(body, number)
            end = place + len(line)
        self._file.cut(end)

    def entries_at(self, places: Iterable[int]) -> Iterator[Entry]:
        """Yield the contents of the lines at these offsets. Raises InputError when one was damaged meanwhile."""
        for line in self._file.lines_at(places):
            body = unsealed(line)
            if body is None:
                raise InputError("was damaged while it was in use; start again to do its work again", path=self.path)
            yield decode(body, self._entry)

    def add(self, *records: Header | Entry, sync: bool = True) -> int:
        """Append one line per record, all or none, and return the offset of the last one. Raises OutputError."""
        lines = [sealed(msgspec.json.encode(record)) for record in records]
        try:
            place = self._file.append(b"".join(lines), sync=sync)
        except OutputError as error:
            raise OutputError(f"{error}; what was finished is kept, start again to go on") from None
        return place + sum(map(len, lines[:-1]))

    def clear(self) -> None:
        """Empty the file for a new run."""
        self._file.cut(0)

    def remove(self) -> None:
        """Remove the file, which is no longer needed."""
        self._file.remove()

    def close(self) -> None:
        """Close the file, so that other runs can lock it."""
        self._file.close()

    def _read_header(self, line: bytes) -> Header:
        body = unsealed(line)
        if body is None and line.startswith(b"{"):
            message = f"is a progress file of an earlier version; finish its run with that version. {_ANEW}"
            raise InputError(message, path=self.path)
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
        message = f"was written by another version; finish its run with that version. {_ANEW}"
        return InputError(message, path=self.path, line=number)


def progress_path(output: Path) -> Path:
    """Return the progress file of an output: `out/dev_top_k_qa.json` -> `out/dev_top_k_qa.json.progress`."""
    return output.with_name(f"{output.name}.progress")
