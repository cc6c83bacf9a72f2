"""Interruption of a check: SIGTERM and Ctrl-C end it within a second, whatever engine is running.

The check runs in its own thread; the main thread waits for signals. A C++ engine does not return to Python while it
computes, and llama.cpp's server installs its own signal handlers when it starts. The main thread therefore sets the
handlers again every `LOOK` seconds.

Limitations: work that does not end in `GRACE` seconds is left running; the process must then be ended with `os._exit`.
"""

import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import TypeVar

from src.temporary_folder import temporary_folder

T = TypeVar("T")

LOOK = 0.1  # seconds between two looks at whether the thread has ended
GRACE = 0.6  # seconds that cancelled work has to end by itself
PREFIX = "averitec-check-"  # of the folders for temporary files
SIGNALS = (signal.SIGINT, signal.SIGTERM)


def interruptible(work: Callable[[Callable[[], bool]], T]) -> T:
    """Run `work(is_cancelled)` in a thread and return its result. A signal cancels the work.

    `is_cancelled()` returns True after a signal. Temporary files of the work are removed at the end. Raises what `work`
    raises, OutputError when there is no room for temporary files, and KeyboardInterrupt after a signal.
    """
    cancelled, results, errors = Event(), list[T](), list[BaseException]()

    def run() -> None:
        try:
            results.append(work(cancelled.is_set))
        except BaseException as error:  # raised again in the main thread
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
    """Put the temporary files of this process into a folder that is removed at the end of the `with` block.

    Folders of killed processes are removed by the next call. Raises OutputError when the folder cannot be created.
    """
    before = tempfile.tempdir
    with temporary_folder(PREFIX) as folder:
        tempfile.tempdir = str(folder)
        try:
            yield
        finally:
            tempfile.tempdir = before


def _wait(thread: Thread) -> None:
    """Wait until the thread ends. Raises KeyboardInterrupt after a signal."""
    while thread.is_alive():
        for one in SIGNALS:
            signal.signal(one, signal.default_int_handler)
        thread.join(LOOK)
