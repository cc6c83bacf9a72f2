"""The progress file beside an output: what is done already, so that a killed run goes on where it was.

`X.json.progress` holds one header line (what run it is) and one line for each finished batch of claims, written in one
piece and synced. A torn last line is dropped. The file is locked while a run is at work: a second run on the
same output is refused. It is removed when the run ends without failures, or before any claim was finished; then the
folders that were made for it go, too.
"""

import fcntl
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from src.errors import BusyError, InputError, OutputError
from src.json_decoding import decode
from src.records import ClaimId
from src.runner.fingerprint import Fingerprint, changed_inputs, differences
from src.runner.manifest import plain_model, same_model
from src.runner.output import Failure
from src.whole_file import append_whole


class Entry(msgspec.Struct):
    """One finished claim: its record as JSON, what was counted, its seconds, and why it failed if it did."""

    claim_id: ClaimId
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
    """`with Journal(output, fingerprint, overwrite) as journal:` gives `journal.entries` by claim_id.

    `begin` comes before the first `append`. What was finished from an input file that changed since is dropped (a
    folder may be mended). Raises BusyError
    when another run holds the file, InputError when it belongs to a run with other arguments, OutputError when it
    cannot be written.
    """

    def __init__(self, output: Path, fingerprint: Fingerprint, *, overwrite: bool) -> None:
        self.path = progress_path(output)
        self.fingerprint = fingerprint
        self.overwrite = overwrite
        self.entries: dict[int, Entry] = {}
        self._header: Header | None = None
        self._descriptor = -1
        self._new_folders: list[Path] = []

    def __enter__(self) -> Self:
        self._new_folders = [folder for folder in self.path.parents if not folder.exists()]
        self._descriptor = lock(self.path)
        try:
            self._read()
        except OSError as error:
            self._close()
            raise OutputError(f"cannot write {self.path}: {error.strerror or error}") from None
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self.entries:
            self.remove()
            self._remove_folders()
        self._close()

    def begin(self, model: object, source_sha256: str) -> list[str]:
        """Says which run this is; notes for the manifest. Raises InputError when another model began it."""
        ours = Header(self.fingerprint, plain_model(model), source_sha256)
        if self._header is None:
            self._header = ours
            self._write(msgspec.json.encode(ours) + b"\n")
            return []
        if not same_model(self._header.model, ours.model):
            raise InputError(
                "an unfinished run with another model is kept here; --overwrite begins anew", path=self.path
            )
        same = self._header.source_sha256 == source_sha256
        return [] if same else ["begun by another version of the code"]

    def append(self, entries: Sequence[Entry]) -> None:
        """A finished batch, whole and synced. Raises OutputError (disk full), after which the file is as it was."""
        self._write(msgspec.json.encode(entries) + b"\n")
        self.entries.update((entry.claim_id, entry) for entry in entries)

    def remove(self) -> None:
        """The output is complete: the progress file is not needed any more."""
        self.path.unlink(missing_ok=True)

    def _remove_folders(self) -> None:
        """Those that were made for nothing, unless something else stands in them by now."""
        with suppress(OSError):
            for folder in self._new_folders:
                folder.rmdir()

    def _read(self) -> None:
        data = self.path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        lines = whole.split(b"\n")[:-1]
        if len(lines) < 2 or self.overwrite:  # nothing was finished: whatever the arguments were, nothing is lost
            os.ftruncate(self._descriptor, 0)
            return
        try:
            header = decode(lines[0], Header)
            batches = [decode(line, list[Entry]) for line in lines[1:]]
        except msgspec.DecodeError:
            raise InputError("damaged progress file; --overwrite begins anew", path=self.path) from None
        if found := differences(header.fingerprint, self.fingerprint):
            message = (
                f"an unfinished run with other arguments is kept here ({found}); finish it, or --overwrite begins anew"
            )
            raise InputError(message, path=self.path)
        if changed_inputs(header.fingerprint, self.fingerprint, folders=False):
            os.ftruncate(self._descriptor, 0)
            return
        self._header = header
        os.ftruncate(self._descriptor, len(whole))
        self.entries = {entry.claim_id: entry for batch in batches for entry in batch}

    def _write(self, data: bytes) -> None:
        try:
            append_whole(self._descriptor, data)
        except OSError as error:
            raise OutputError(
                f"cannot write {self.path}: {error.strerror or error}; what was finished is kept, start again to go on"
            ) from None

    def _close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def progress_path(output: Path) -> Path:
    """`out/dev_top_k_qa.json` -> `out/dev_top_k_qa.json.progress`."""
    return output.with_name(f"{output.name}.progress")


def lock(path: Path) -> int:
    """An exclusive lock on the file that bears this name now (a run that ends removes it under us); its descriptor.

    Its folder is made. Raises BusyError when another process holds it, OutputError when it cannot be made.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        while True:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
            if _is_ours(descriptor, path):
                return descriptor
            os.close(descriptor)
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}") from None


def _is_ours(descriptor: int, path: Path) -> bool:
    """Locks the file; whether it still bears this name."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise BusyError(f"another run is writing {path.name.removesuffix('.progress')} in {path.parent}") from None
    try:
        return os.fstat(descriptor).st_ino == path.stat().st_ino
    except FileNotFoundError:
        return False
