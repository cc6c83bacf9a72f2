"""Journal of finished work, `X.json.progress`, from which a killed run resumes.

The first line identifies the run; each other line is a batch of finished entries. Each line begins with its checksum
(`src/append_only.py`). An incomplete last line is dropped; a damaged line and all lines after it are computed again.
The file is locked during a run, so a second run on the same output is refused. It is removed when the output is
complete. If nothing was finished, it is removed with the folders that were made for it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import groupby, islice, tee
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

import msgspec

from src.append_only import AppendOnlyFile, sealed, unsealed
from src.errors import InputError, OutputError
from src.json_decoding import decode
from src.runner.console import say_error
from src.runner.fingerprint import Fingerprint, changed_inputs, differences
from src.runner.manifest import plain_model, same_model
from src.runner.output import Failure

_ANEW = "--overwrite begins anew, and so does a start after it was removed"

E = TypeVar("E")


class Entry(msgspec.Struct):
    """One finished claim of a step.

    `record`: output record as JSON.
    `counts`: counts such as prompts and tokens.
    `seconds`: duration.
    `failure`: reason of the failure, or None if the claim succeeded.
    `requests`: requests to a language model that wait for their answers, as JSON; the claim then counts as failed.
    """

    claim_id: int
    record: msgspec.Raw
    counts: dict[str, int] = {}
    seconds: float = 0.0
    failure: Failure | None = None
    requests: tuple[msgspec.Raw, ...] = ()


class Header(msgspec.Struct, frozen=True, omit_defaults=True):
    """First line of a journal: the run that it belongs to.

    `fingerprint`: step, settings, inputs and claims.
    `model`: description of the model.
    `source_sha256`: hash of the code at the start of the run.
    `anew`: the run was started with --overwrite, so an older output is ignored.
    """

    fingerprint: Fingerprint
    model: Any = None
    source_sha256: str = ""
    anew: bool = False


class Journal(Generic[E]):
    """Journal of an output: `with Journal(output, fingerprint, Entry, lambda entry: entry.claim_id) as journal:`.

    `key`: function from an entry to its key, such as the claim_id. A later entry replaces an earlier one with its key.
    `is_done`: called with each entry of an earlier run, in order; if it returns False, the key is processed again.
    `overwrite`: discard the entries of earlier runs.

    Only the offsets of the batches in the file are held in memory. Entries of an earlier run are discarded if an input
    file has changed after that run. A changed input folder is ignored, since it may have been repaired.

    Raises BusyError when another run has locked the file, OutputError when it cannot be written, and InputError when it
    belongs to a run with other arguments or another version, or when its first line is damaged.
    """

    def __init__(
        self,
        output: Path,
        fingerprint: Fingerprint,
        entry: type[E],
        key: Callable[[E], int],
        is_done: Callable[[E], bool] = lambda _: True,
        *,
        overwrite: bool = False,
    ) -> None:
        self.path = progress_path(output)
        self.anew = overwrite
        self._fingerprint = fingerprint
        self._batch: type[list[E]] = list[entry]  # type: ignore[valid-type]
        self._key, self._is_done = key, is_done
        self._header: Header | None = None
        self._is_empty = True
        self._offsets: dict[int, int] = {}  # key -> offset of the line with its batch
        self._undone: set[int] = set()
        self._new_folders = [folder for folder in self.path.parents if not folder.exists()]
        self._file = AppendOnlyFile(self.path)
        try:
            self._resume()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __contains__(self, key: int) -> bool:
        """Return True if the journal has an entry with this key that need not be processed again."""
        return key in self._offsets and key not in self._undone

    def __len__(self) -> int:
        return len(self._offsets) - len(self._undone)

    @property
    def is_empty(self) -> bool:
        """Return True if the journal has no entries, not even of failed claims, which are tried again."""
        return self._is_empty

    def begin(self, model: object, source_sha256: str) -> list[str]:
        """Set the model and the hash of the code of this run; return notes for the manifest.

        Raises InputError when the journal has entries of another model.
        """
        ours = Header(self._fingerprint.kept(), plain_model(model), source_sha256, self.anew)
        if self._header is None or self._is_empty:
            self._header = ours
            return []
        if not same_model(self._header.model, ours.model):
            raise InputError(
                "an unfinished run with another model is kept here; --overwrite begins anew", path=self.path
            )
        same = self._header.source_sha256 == source_sha256
        return [] if same else ["begun by another version of the code"]

    def append(self, entries: Sequence[E], *, sync: bool = True) -> None:
        """Append entries, all or none. Raises OutputError (disk full, …); the file is then unchanged.

        Without `sync`, a power failure may lose the last seconds; killing the process loses nothing.
        """
        batch = sealed(msgspec.json.encode(list(entries)))
        header = self._header or Header(self._fingerprint.kept(), anew=self.anew)
        first = sealed(msgspec.json.encode(header)) if self._is_empty else b""
        try:
            offset = self._file.append(first + batch, sync=sync) + len(first)
        except OutputError as error:
            raise OutputError(f"{error}; what was finished is kept, start again to go on") from None
        self._header, self._is_empty = header, False
        for key in map(self._key, entries):
            self._offsets[key] = offset
            self._undone.discard(key)

    def entries(self, keys: Iterable[int]) -> Iterator[E]:
        """Yield the entries with the given keys, in the order of the keys. The file is opened once.

        Raises KeyError for a key without an entry, InputError for a damaged line.
        """
        runs = ((offset, list(run)) for offset, run in groupby(keys, self._offsets.__getitem__))
        of_keys, of_lines = tee(runs)
        for (_, run), line in zip(of_keys, self._file.lines_at(offset for offset, _ in of_lines), strict=True):
            batch = {self._key(entry): entry for entry in self._batch_of(line)}
            yield from (batch[key] for key in run)

    def remove(self) -> None:
        """Remove the file. Called when the output is complete."""
        self._file.remove()

    def close(self) -> None:
        """Close the file and release its lock. A file without entries is removed."""
        if self._is_empty:
            self.remove()
            with suppress(OSError):  # folders that are no longer empty stay
                for folder in self._new_folders:
                    folder.rmdir()
        self._file.close()

    def _resume(self) -> None:
        lines = [line for _, line in islice(self._file.lines(), 2)]
        if self.anew or len(lines) < 2:
            self._file.cut(0)
            return
        header = self._read_header(lines[0])
        if changes := differences(header.fingerprint, self._fingerprint):
            hint = "finish it, or --overwrite begins anew"
            raise InputError(f"an unfinished run with other arguments is kept here ({changes}); {hint}", path=self.path)
        if changed_inputs(header.fingerprint, self._fingerprint, folders=False):
            self._file.cut(0)
        self.anew = header.anew
        self._replay()
        if self._is_empty:
            self._file.cut(0)
        else:
            self._header = header

    def _replay(self) -> None:
        """Read the entries up to the first damaged line or incomplete last line, and truncate the file there."""
        end = 0
        for number, (offset, line) in enumerate(self._file.lines(), start=1):
            body = unsealed(line)
            if body is None:
                message = "damaged; the work in it and in the lines after it is done again"
                say_error(str(InputError(message, path=self.path, line=number)))
                break
            if number > 1:
                self._note(offset, self._decoded(body, number))
            end = offset + len(line)
        self._file.cut(end)

    def _note(self, offset: int, batch: Sequence[E]) -> None:
        for entry in batch:
            key = self._key(entry)
            self._offsets[key] = offset
            (self._undone.discard if self._is_done(entry) else self._undone.add)(key)
            self._is_empty = False

    def _batch_of(self, line: bytes) -> list[E]:
        body = unsealed(line)
        if body is None:
            raise InputError("was damaged while it was in use; start again to do its work again", path=self.path)
        return decode(body, self._batch)

    def _read_header(self, line: bytes) -> Header:
        body = unsealed(line)
        if body is None and line.startswith(b"{"):
            message = f"is a progress file of an earlier version; finish its run with that version. {_ANEW}"
            raise InputError(message, path=self.path)
        if body is None:
            raise InputError(f"damaged progress file; {_ANEW}", path=self.path, line=1)
        try:
            return decode(body, Header)
        except msgspec.DecodeError:
            raise self._other_version(1) from None

    def _decoded(self, body: bytes, number: int) -> list[E]:
        try:  # earlier versions wrote the scraper's rows one a line
            return decode(b"[" + body + b"]" if body.startswith(b"{") else body, self._batch)
        except msgspec.DecodeError:
            raise self._other_version(number) from None

    def _other_version(self, number: int) -> InputError:
        message = f"was written by another version; finish its run with that version. {_ANEW}"
        return InputError(message, path=self.path, line=number)


def progress_path(output: Path) -> Path:
    """Return the progress file of an output: `out/dev_top_k_qa.json` -> `out/dev_top_k_qa.json.progress`."""
    return output.with_name(f"{output.name}.progress")
