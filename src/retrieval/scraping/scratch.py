"""A folder for pages that are being read, inside the knowledge store: `.pages-…`, gone when the run ends.

A run that is killed leaves its folder; the next run in the same store removes it. Beside the store there is room for
pages, which a system's folder for temporary files, often memory, may not have.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from src.errors import OutputError

PREFIX = ".pages-"


@contextmanager
def scratch(store: Path) -> Iterator[Path]:
    """Raises OutputError when it cannot be made."""
    try:
        store.mkdir(parents=True, exist_ok=True)
        for left in store.glob(f"{PREFIX}*"):
            _remove_unless_in_use(left)
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=store))
        lock = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise OutputError(f"cannot write {store}: {error.strerror or error}") from None
    fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def _remove_unless_in_use(folder: Path) -> None:
    try:
        lock = os.open(folder, os.O_RDONLY)
    except FileNotFoundError:
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
    except BlockingIOError:
        pass
    finally:
        os.close(lock)
