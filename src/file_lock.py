"""Exclusive file locks. A lock ends with the process that holds it, even if the process is killed."""

import fcntl
import os
from pathlib import Path

from src.atomic_file import bears
from src.errors import BusyError, OutputError


def lock(path: Path, *, wait: bool = False) -> int:
    """Open and lock a file for reading and appending; return its descriptor. Closing it releases the lock.

    The file and its folder are created if needed.

    `wait`: wait until another process releases the lock.

    Raises BusyError if another process has locked the file and `wait` is False, and OutputError if the file cannot be
    created.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        while True:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
                if bears(path, descriptor):  # the previous holder may have removed the file just now
                    return descriptor
            except BaseException:
                os.close(descriptor)
                raise
            os.close(descriptor)
    except BlockingIOError:
        raise BusyError(f"another run is writing {path.name.removesuffix('.progress')} in {path.parent}") from None
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}") from None
