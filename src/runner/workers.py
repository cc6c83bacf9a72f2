"""Worker processes: `in_workers(work, items, workers)` yields the results as they finish.

Only a few items are submitted ahead of the results, so memory is bounded. A worker ends with its parent process, even
if the parent is killed. If a worker dies (out of memory, killed), the run ends with a one-line error.

Limitations: results come in any order. `work` must catch its own errors, except those that are fatal to the run. `work`
and the items must be picklable.
"""

import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import connection, get_context, parent_process
from typing import Any, TypeVar

from src.errors import FatalError

AHEAD = 2  # items per worker: one in progress, one in the queue

In = TypeVar("In")
Out = TypeVar("Out")


@dataclass(frozen=True)
class Fatal:
    """Message of a fatal error in a worker, sent in place of the exception, which may not be picklable."""

    message: str


def cores() -> int:
    """Return the number of processor cores that this process may use."""
    return len(os.sched_getaffinity(0))


def in_workers(work: Callable[[In], Out], items: Iterable[In], workers: int) -> Iterator[Out]:
    """Yield `work(item)` of all items in order of completion, computed by `workers` processes.

    Raises FatalError when `work` raises one, or when a worker process dies.
    """
    threads = max(1, cores() // workers)
    pool = ProcessPoolExecutor(workers, get_context("spawn"), initializer=_begin, initargs=(work, threads))
    try:
        waiting: set[Future[Out | Fatal]] = set()
        for item in items:
            waiting.add(pool.submit(_do, item))
            if len(waiting) >= AHEAD * workers:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                yield from map(_result, done)
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            yield from map(_result, done)
    except BrokenProcessPool:
        message = "a worker process ended suddenly (out of memory, or killed); what was finished is kept, start again"
        raise FatalError(f"{message}, with fewer --workers perhaps") from None
    finally:
        pool.shutdown(cancel_futures=True)


def _result(future: Future[Out | Fatal]) -> Out:
    result = future.result()
    if isinstance(result, Fatal):
        raise FatalError(result.message)
    return result


_work: Callable[[Any], Any]


def _begin(work: Callable[[Any], Any], threads: int) -> None:
    """Initialize a worker process: it ends on Ctrl-C, and when its parent ends.

    Multithreaded libraries that are loaded later use `threads` threads by default.
    """
    global _work
    os.environ.setdefault("OMP_NUM_THREADS", str(threads))
    _work = work
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
    os._exit(1)


def _do(item: Any) -> Any:
    try:
        return _work(item)
    except FatalError as error:
        return Fatal(str(error))
