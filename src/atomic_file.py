"""Atomic file writing: a file appears with all its bytes, or the old file stays.

Limitations: folders are written by `src/atomic_folder.py`, files that grow by `src/append_only.py`.
"""

import fcntl
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from src.errors import OutputError


def write_whole(path: Path, data: bytes) -> None:
    """Write a file atomically. Raises OutputError when it cannot be written."""
    with atomic(path) as file:
        file.write(data)


def write_new(path: Path, data: bytes) -> bool:
    """Write a file atomically if it does not exist; return False if it exists.

    Of processes that write at the same time, on any machines of a shared file system, one succeeds. Raises OutputError
    when the file cannot be written.
    """
    aside = path.with_name(f".{path.name}.{uuid4().hex}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with aside.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            return _linked(aside, path)
        finally:
            aside.unlink(missing_ok=True)
            sync(path.parent)
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}") from None


def _linked(aside: Path, path: Path) -> bool:
    """Give the file `aside` the name `path` as well; return False if that name is taken."""
    try:
        os.link(aside, path)
    except FileExistsError:
        return False
    return True


def write_in_order(files: Sequence[tuple[Path, bytes]], removed: Sequence[Path] = ()) -> None:
    """Write several files: first as temporary files; then delete the files `removed`, and rename the new ones in order.

    If the process is killed in between, the first files are new and the others unchanged. Raises OutputError when a
    file cannot be written; if the disk is full, all files are unchanged.
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
    """Raise OutputError if the file cannot be written. Called before long work; leaves no file behind."""
    try:
        existing = next(parent for parent in path.absolute().parents if parent.exists())
        aside = existing / f".{path.name}.tmp"
        with _alone(aside):
            aside.unlink()
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}") from None


@contextmanager
def atomic(path: Path) -> Iterator[BinaryIO]:
    """Yield a temporary file that takes the place of `path` when the block ends: write, fsync, rename.

    On any error the old file is unchanged. Another process that writes the same file waits until this one is done.
    Raises OutputError when the file cannot be written.
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
    """Yield the temporary file `aside`, empty and locked.

    A process that is killed leaves the file behind, but not the lock.
    """
    while True:
        with os.fdopen(os.open(aside, os.O_WRONLY | os.O_CREAT, 0o666), "wb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if bears(aside, file.fileno()):  # while we waited for the lock, its holder may have renamed the file
                file.truncate(0)
                yield file
                return


def bears(path: Path, descriptor: int) -> bool:
    """Return True if `path` is still the name of the open file `descriptor`.

    Raises OSError when the folder of `path` cannot be read.
    """
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def sync(path: Path) -> None:
    """Flush a file's bytes, or a folder's directory entries, to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
