"""History of checks on disk: one JSON file each, named by the check's id and written atomically.

A check that was not over when its server ended becomes `stopped`. A server locks its folder. The check that was deleted
last can be restored until another one is deleted or the server ends.
"""

import os
import re
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec
from msgspec.structs import asdict, replace

from src.atomic_file import write_whole
from src.check.records import CheckedClaim, ProgressEvent
from src.errors import BusyError, FactCheckError, OutputError, one_line
from src.file_lock import lock
from src.json_decoding import decode
from src.report.server.records import ID, Check, Status, StoredCheck, with_event
from src.report.server.submission import renamed
from src.runner.console import say_error, say_fault
from src.runner.paths import output_folder
from src.serving.refused import RefusedError
from src.shape_error import shape_error

DELETED = ".deleted"  # ending of a file that can be restored
STOPPED = "the server was stopped before the check was done"


class History:
    """Checks by id, oldest first. Of the checks that are over, only the `most` that ended last are kept.

    Readers take no lock, because the table is replaced as a whole.
    """

    def __init__(self, folder: Path, most: int) -> None:
        """Read the checks in the folder; damaged files are left out, with a line on stderr.

        Raises InputError or OutputError when the folder cannot be used, BusyError when another server has locked it.
        """
        self._folder = output_folder(folder)
        self._most = most
        self._lock = _locked(folder)
        self._deleted: Check | None = None
        self._forget(folder.glob(f"*{DELETED}"))
        checks = [check for path in sorted(folder.glob("*.json")) if (check := _read(path)) is not None]
        self._checks = {check.id: check for check in sorted(checks, key=lambda one: one.asked_at)}
        for check in checks:
            if not check.status.is_over:
                self.write(replace(check, status=Status.STOPPED, error=STOPPED, ended_at=datetime.now(UTC)))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OutputError):
            self._forget(self._folder.glob(f"*{DELETED}"))
        os.close(self._lock)

    def check(self, check_id: str) -> Check:
        """Return the check with this id. Raises RefusedError when there is none."""
        if (check := self.find(check_id)) is None:
            raise RefusedError("there is no such check", status=404)
        return check

    def find(self, check_id: str) -> Check | None:
        return self._checks.get(check_id)

    def checks(self) -> list[Check]:
        """Return all checks, newest first."""
        return list(self._checks.values())[::-1]

    def set_state(self, check: Check) -> None:
        """Replace the check in memory, without writing it to disk."""
        self._checks[check.id] = check

    def write(self, check: Check, result: CheckedClaim | None = None) -> None:
        """Write the check to disk, and delete checks above `most`, those that ended first. Raises OutputError when the
        check cannot be written; the history is then unchanged.
        """
        write_whole(self._path(check.id), msgspec.json.encode(StoredCheck(**asdict(check), result=result)))
        checks = self._checks | {check.id: check}
        over = sorted((one for one in checks.values() if one.status.is_over), key=_end_of)
        for old in over[: max(0, len(over) - self._most)]:
            try:
                self._unlink(self._path(old.id))
                del checks[old.id]
            except OutputError as error:  # the check itself is written, and the next write tries again
                say_error(str(error))
        self._checks = checks

    def result(self, check_id: str) -> CheckedClaim | None:
        """Return the result of a check; None if it has none.

        Raises RefusedError, after a line on stderr, when the file is missing or damaged.
        """
        path = self._path(check_id)
        try:
            return decode(renamed(path.read_bytes()), StoredCheck).result
        except OSError as error:
            say_error(f"{path}: {error.strerror or error}")
        except msgspec.DecodeError as error:
            say_error(str(shape_error(error, path, 1, StoredCheck)))
        raise RefusedError("the result cannot be read any more; the server's terminal says more", status=500)

    def remove(self, check_id: str, *, for_good: bool = False) -> None:
        """Delete the check with this id; the one that was deleted before can no longer be restored.

        `for_good`: neither can this one. Raises OutputError when its file cannot be deleted; nothing is then deleted.
        """
        check, path = self.check(check_id), self._path(check_id)
        kept = path.with_suffix(DELETED)
        if for_good:
            self._unlink(path)
        can_be_restored = not for_good and self._rename(path, kept)
        self._deleted = check if can_be_restored else None
        self._checks = {one: check for one, check in self._checks.items() if one != check_id}
        try:
            self._forget(one for one in self._folder.glob(f"*{DELETED}") if one != kept)
        except OutputError as error:  # the next deletion, and the end of the server, try again
            say_error(str(error))

    def deleted(self, check_id: str) -> Check | None:
        """Return the check with this id if it is the one that was deleted last and its file is there, else None."""
        is_last = self._deleted is not None and self._deleted.id == check_id
        return self._deleted if is_last and self._path(check_id).with_suffix(DELETED).is_file() else None

    def restore(self, check_id: str) -> None:
        """Bring back the check that was deleted last.

        Raises RefusedError for another one or when its file is missing, OutputError when the file cannot be renamed.
        """
        check, path = self.deleted(check_id), self._path(check_id)
        if check is None or not self._rename(path.with_suffix(DELETED), path):
            raise RefusedError("it can no longer be restored", status=404)
        self._deleted = None
        checks = [*self._checks.values(), check]
        self._checks = {one.id: one for one in sorted(checks, key=lambda one: one.asked_at)}

    def _forget(self, paths: Iterable[Path]) -> None:
        for path in list(paths):
            self._unlink(path)

    def _unlink(self, path: Path) -> None:
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise OutputError(f"cannot remove {path}: {error.strerror or error}") from None

    def _rename(self, path: Path, new: Path) -> bool:
        """Rename a file; return False if it is missing."""
        try:
            path.replace(new)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise OutputError(f"cannot rename {path}: {error.strerror or error}") from None
        return True

    def _path(self, check_id: str) -> Path:
        return self._folder / f"{check_id}.json"


def _locked(folder: Path) -> int:
    try:
        return lock(folder / ".lock")
    except BusyError:
        raise BusyError(f"another server keeps its checks in {folder}; --history names another folder") from None


def _end_of(check: Check) -> datetime:
    return check.ended_at or check.asked_at


def _read(path: Path) -> Check | None:
    """Return the check in a file; None, with a line on stderr, if the file is damaged or not named by the
    check's id.
    """
    try:
        check = decode(renamed(path.read_bytes()), Check)
        if re.fullmatch(ID, path.stem) and check.id == path.stem:
            return check
        say_error(f"{path}: left out, for its name is not that of the check in it")
    except OSError as error:
        say_error(f"{path}: left out: {error.strerror or error}")
    except msgspec.DecodeError as error:
        say_error(f"left out: {shape_error(error, path, 1, Check)}")
    return None


class Outcome(msgspec.Struct, frozen=True):
    """End of a check: its status, with an error or a result."""

    status: Status
    error: str = ""
    result: CheckedClaim | None = None


def failed(error: BaseException) -> Outcome:
    """Return the outcome of a check that raised an error. An error outside FactCheckError is a bug; its traceback goes
    to stderr.
    """
    if isinstance(error, FactCheckError):
        return Outcome(Status.FAILED, one_line(str(error)))
    say_fault(error)
    return Outcome(Status.FAILED, f"a fault of the program: {type(error).__name__}; the server's terminal says more")


class EventLog:
    """Writer of the events of checks (begin, progress, end) to a history. Only one thread at a time may use it.

    A check that is over does not change. Progress is kept in memory only.
    """

    def __init__(self, history: History) -> None:
        self._history = history

    def begin(self, check_id: str) -> None:
        check = self._history.check(check_id)
        self._write(replace(check, status=Status.WORKING, began_at=datetime.now(UTC)))

    def progress(self, check_id: str, event: ProgressEvent, seconds: float) -> None:
        if (check := self._open(check_id)) is not None:
            self._history.set_state(replace(check, stages=with_event(check.stages, event, seconds)))

    def end(self, check_id: str, outcome: Outcome) -> None:
        if (check := self._open(check_id)) is not None:
            self._write(_ended_check(check, outcome), outcome)

    def _open(self, check_id: str) -> Check | None:
        """Return the check with this id; None if it is over or deleted."""
        check = self._history.find(check_id)
        return None if check is None or check.status.is_over else check

    def _write(self, check: Check, outcome: Outcome | None = None) -> None:
        """Write the check. If that fails, its state is kept in memory only.

        A check with a result becomes failed, because its result cannot be read later.
        """
        result = outcome.result if outcome else None
        try:
            self._history.write(check, result)
        except Exception as error:
            failure = failed(error)
            if isinstance(error, OutputError):
                say_error(str(error))
            self._history.set_state(check if result is None else _ended_check(check, failure))


def _ended_check(check: Check, outcome: Outcome) -> Check:
    """Return the check with its end: time, status, error, and the verdict if there is a result."""
    prediction = outcome.result.prediction if outcome.result else None
    return replace(
        check,
        status=outcome.status,
        error=outcome.error,
        verdict=prediction.pred_label if prediction else None,
        level=prediction.level if prediction else None,
        verdict_set=prediction.verdict_set if prediction else None,
        ended_at=datetime.now(UTC),
    )
