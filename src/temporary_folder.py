"""Temporary folders that are removed even if their process is killed.

A folder is locked while it is in use. A process that is killed leaves its folder behind without a lock. The next call
with the same prefix and parent removes unlocked folders.
"""

import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from src.atomic_file import bears
from src.errors import OutputError


@contextmanager
def temporary_folder(prefix: str, parent: Path | None = None) -> Iterator[Path]:
    """Create a folder whose name begins with `prefix`, yield it, and remove it at the end.

    `parent` is the folder to create it in, by default the system's folder for temporary files. Raises OutputError when
    it cannot be created.
    """
    parent = Path(tempfile.gettempdir()) if parent is None else parent
    try:
        parent.mkdir(parents=True, exist_ok=True)
        for left in parent.iterdir():
            if re.fullmatch(re.escape(prefix) + r"[a-z0-9_]{8}", left.name):
                _remove_unless_in_use(left)
        folder, descriptor = _made(prefix, parent)
    except OSError as error:
        raise OutputError(f"cannot write {parent}: {error.strerror or error}") from None
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(descriptor)


def _made(prefix: str, parent: Path) -> tuple[Path, int]:
    """Create and lock a temporary folder; return its path and the descriptor that holds the lock.

    Raises OSError when it cannot be created.
    """
    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
        with suppress(FileNotFoundError):  # another process removed the folder before it was locked
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            fcntl.flock(descriptor, fcntl.LOCK_SH)
            if bears(folder, descriptor):
                return folder, descriptor
            os.close(descriptor)


def _remove_unless_in_use(folder: Path) -> None:
    """Remove a folder if it belongs to this user and no process has locked it."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return
    try:
        if os.fstat(descriptor).st_uid == os.geteuid():
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
    except OSError:
        pass
    finally:
        os.close(descriptor)
