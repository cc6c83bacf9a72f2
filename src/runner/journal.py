"""Journal of a step's finished claims in `X.json.progress`, from which a killed run resumes.

Each finished batch of claims is one line, written in one piece and synced. The file is removed when the run ends
without failures or before any claim was finished. In the latter case the folders made for it are removed too.
"""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from src.errors import InputError
from src.runner.fingerprint import Fingerprint
from src.runner.manifest import plain_model, same_model
from src.runner.output import Failure
from src.runner.progress_file import ProgressFile, progress_path


class Entry(msgspec.Struct):
    """One finished claim: its record as JSON, its counts, its seconds, and its failure if it failed."""

    claim_id: int
    record: msgspec.Raw
    counts: dict[str, int] = {}
    seconds: float = 0.0
    failure: Failure | None = None


class Header(msgspec.Struct):
    """The run that a journal belongs to: its fingerprint, its model, and the code that began it."""

    fingerprint: Fingerprint
    model: Any
    source_sha256: str


class Journal:
    """Journal of a run; after `with Journal(output, fingerprint, overwrite) as journal:`, `entries` is by claim_id.

    Call `begin` before the first `append`. Finished work is dropped if an input file changed since; a changed folder
    does not count, since it may have been repaired. Raises BusyError when another run holds the file, InputError as
    `ProgressFile.resume` does, OutputError when the file cannot be written.
    """

    def __init__(self, output: Path, fingerprint: Fingerprint, *, overwrite: bool) -> None:
        self.output = output
        self.fingerprint = fingerprint
        self.overwrite = overwrite
        self.entries: dict[int, Entry] = {}
        self._header: Header | None = None
        self._file: ProgressFile[Header, list[Entry]]
        self._new_folders: list[Path] = []

    def __enter__(self) -> Self:
        path = progress_path(self.output)
        self._new_folders = [folder for folder in path.parents if not folder.exists()]
        self._file = ProgressFile(self.output, Header, list[Entry])
        try:
            self._read()
        except BaseException:
            self._file.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self.entries:
            self.remove()
            self._remove_folders()
        self._file.close()

    @property
    def path(self) -> Path:
        return progress_path(self.output)

    def begin(self, model: object, source_sha256: str) -> list[str]:
        """Record which run this is; return notes for the manifest. Raises InputError when another model began it."""
        ours = Header(self.fingerprint, plain_model(model), source_sha256)
        if self._header is None:
            self._header = ours
            self._file.add(ours)
            return []
        if not same_model(self._header.model, ours.model):
            raise InputError(
                "an unfinished run with another model is kept here; --overwrite begins anew", path=self.path
            )
        same = self._header.source_sha256 == source_sha256
        return [] if same else ["begun by another version of the code"]

    def append(self, entries: Sequence[Entry]) -> None:
        """Append a finished batch, whole and synced. Raises OutputError (disk full); the file is then unchanged."""
        self._file.add(list(entries))
        self.entries.update((entry.claim_id, entry) for entry in entries)

    def remove(self) -> None:
        """Remove the progress file: the output is complete."""
        self._file.remove()

    def _remove_folders(self) -> None:
        """Remove the folders that were created in vain, unless they are no longer empty."""
        with suppress(OSError):
            for folder in self._new_folders:
                folder.rmdir()

    def _read(self) -> None:
        header = self._file.resume(self.fingerprint, overwrite=self.overwrite, folders=False)
        if header is not None:
            self.entries = {entry.claim_id: entry for _, batch in self._file.entries() for entry in batch}
        if self.entries:
            self._header = header
        else:
            self._file.clear()
