"""Writing that is whole or not at all: a file appears with all its bytes, or what was there stays.

Limitations: folders are written by `src/atomic_folder.py`, files that grow by `src/append_only.py`.
"""

import fcntl
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

from src.errors import OutputError


def write_whole(path: Path, data: bytes) -> None:
    """The file appears whole or not at all. Raises OutputError."""
    with atomic(path) as file:
        file.write(data)


def write_in_order(files: Sequence[tuple[Path, bytes]], removed: Sequence[Path] = ()) -> None:
    """Write several files: once all are on the disk, `removed` go and each file gets its name, in this order.

    A kill in between leaves the first ones new and the others as they were. Raises OutputError; when the disk is full,
    all are as they were.
    """
    with ExitStack() as stack:
        for path, data in reversed(files):
            file = stack.enter_context(atomic(path))
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        for path in removed:
            path.unlink(missing_ok=True)


def check_writable(path: Path) -> None:
    """Raises OutputError where the file could not be written, so that no work is done in vain. Leaves nothing."""
    try:
        standing = next(one for one in path.absolute().parents if one.exists())
        aside = standing / f".{path.name}.tmp"
        with _alone(aside):
            aside.unlink()
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}") from None


@contextmanager
def atomic(path: Path) -> Iterator[BinaryIO]:
    """Write aside, fsync, rename. On any error the old file stays as it was. Raises OutputError.

    Another process that writes the same file waits until this one has done so.
    """
    aside = path.with_name(f".{path.name}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _alone(aside) as file:
            try:
                yield file
                file.flush()
                os.fsync(file.fileno())
                aside.replace(path)
            except BaseException:
                aside.unlink(missing_ok=True)
                raise
        sync(path.parent)
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}") from None


@contextmanager
def _alone(aside: Path) -> Iterator[BinaryIO]:
    """The file of that name, empty and locked; a killed process leaves it, and its lock ends."""
    while True:
        with os.fdopen(os.open(aside, os.O_WRONLY | os.O_CREAT, 0o666), "wb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if bears(aside, file.fileno()):  # while we waited, its holder may have renamed it
                file.truncate(0)
                yield file
                return


def bears(path: Path, descriptor: int) -> bool:
    """Whether the open file is the one of this name. Raises OSError where its folder cannot be looked into."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def sync(path: Path) -> None:
    """A file's bytes or a folder's names."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
