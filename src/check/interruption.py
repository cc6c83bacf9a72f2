"""Runs a check so that SIGTERM and Ctrl-C end it within a second, whatever engine is at work.

The check runs in a thread of its own; the main thread waits for signals. An engine in C++ does not return to Python
while it computes, and llama.cpp's server takes the signals for itself when it starts: so the handlers are set again at
every look.

Limitations: work that does not end in `GRACE` seconds is left behind; the process must then be ended with `os._exit`.
"""

import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import TypeVar

from src.temporary_folder import temporary_folder

T = TypeVar("T")

LOOK = 0.1  # seconds between two looks
GRACE = 0.6  # seconds that cancelled work has to end by itself
PREFIX = "averitec-check-"  # of the folders for temporary files
SIGNALS = (signal.SIGINT, signal.SIGTERM)


def interruptible(work: Callable[[Callable[[], bool]], T]) -> T:
    """Return what `work` returns; it is given a function that says whether it is cancelled.

    Temporary files that it makes are removed at the end. Raises what `work` raises, OutputError where there is no room
    for temporary files, and KeyboardInterrupt at a signal.
    """
    cancelled, results, errors = Event(), list[T](), list[BaseException]()

    def run() -> None:
        try:
            results.append(work(cancelled.is_set))
        except BaseException as error:  # raised where the work is waited for
            errors.append(error)

    thread = Thread(target=run, daemon=True)
    with own_temporary_files():
        try:
            thread.start()
            _wait(thread)
        except KeyboardInterrupt:
            cancelled.set()
            thread.join(GRACE)
            raise
    if errors:
        raise errors[0]
    return results[0]


@contextmanager
def own_temporary_files() -> Iterator[None]:
    """Have this process make its temporary files in a folder that is removed at the end.

    What a killed process left goes when the next one comes here. Raises OutputError.
    """
    before = tempfile.tempdir
    with temporary_folder(PREFIX) as folder:
        tempfile.tempdir = str(folder)
        try:
            yield
        finally:
            tempfile.tempdir = before


def _wait(thread: Thread) -> None:
    while thread.is_alive():
        for one in SIGNALS:
            signal.signal(one, signal.default_int_handler)
        thread.join(LOOK)
