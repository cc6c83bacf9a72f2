"""Watch on a file: when it was first opened, by any process (Linux inotify).

Limitations: Linux and local file systems only.
"""

import ctypes
import os
import select
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from src.errors import OutputError

IN_OPEN = 0x20
NONBLOCK = os.O_NONBLOCK
PAUSE = 0.2  # seconds between looks at the flag that ends the watch


class FirstOpening:
    """When a file was first opened.

    `time`: seconds since 1970; None if it was not.
    """

    def __init__(self) -> None:
        self.time: float | None = None


@contextmanager
def first_opening(path: Path) -> Iterator[FirstOpening]:
    """Yield the first opening of a file, which is kept up to date until the block ends. Raises OutputError."""
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.inotify_init1(NONBLOCK)
    if descriptor < 0 or libc.inotify_add_watch(descriptor, os.fsencode(path), IN_OPEN) < 0:
        raise OutputError(f"cannot watch {path}: {os.strerror(ctypes.get_errno())}")
    opening, ended = FirstOpening(), threading.Event()
    thread = threading.Thread(target=_watch, args=(descriptor, opening, ended), daemon=True)
    thread.start()
    try:
        yield opening
    finally:
        ended.set()
        thread.join()
        os.close(descriptor)


def _watch(descriptor: int, opening: FirstOpening, ended: threading.Event) -> None:
    while opening.time is None:
        last = ended.is_set()
        if select.select([descriptor], [], [], 0 if last else PAUSE)[0]:
            opening.time = time.time()
        if last:
            return
