"""Folders for temporary files that do not outlive their process.

A folder is locked while it is in use. A killed process leaves its folder, and its lock ends: whoever makes the next
folder of this name in the same place removes it.
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
    """Make a folder whose name begins so, and remove it at the end.

    `parent` is where it is made, the system's folder for temporary files by default. Raises OutputError.
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
    """Return a new folder and its lock. Raises OSError."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
        with suppress(FileNotFoundError):  # another process took it for one that was left, before it was locked
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            fcntl.flock(descriptor, fcntl.LOCK_SH)
            if bears(folder, descriptor):
                return folder, descriptor
            os.close(descriptor)


def _remove_unless_in_use(folder: Path) -> None:
    """Remove a folder that is this user's and that nobody has locked."""
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
