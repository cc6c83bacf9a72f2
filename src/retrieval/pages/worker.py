"""Worker process that reads pages until its standard input ends: `python -m src.retrieval.pages.worker`.

It receives requests and sends replies as frames (`frames.py`) over standard input and output. Only `workers.py` starts
it. Its memory is limited. It is killed when its parent process ends, and ignores Ctrl-C, which the parent handles.

Limitations: the exact memory limit and the end with the parent exist on Linux only. On other systems it ends when its
input ends.
"""

import ctypes
import gc
import logging
import os
import resource
import signal
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple, Self

from src.errors import FatalError
from src.retrieval.pages.frames import Reply, Request, Started, Task, frame, receive
from src.retrieval.pages.html_text import html_lines
from src.retrieval.pages.reader import OUT_OF_MEMORY, PageText, read_page
from src.retrieval.pages.sentences import PUNKT, splitter

WORN_MEGABYTES = 250  # growth since the worker was ready, beyond which it is replaced
NEAR = 0.9  # share of the limit: a page without text above it ran out of memory, which parsers hide
NEEDLESS = ("numpy", "scipy", "sklearn")  # NLTK loads these if installed: half its memory, two thirds of its start
PR_SET_PDEATHSIG = 1
MEGABYTE = 1 << 20
STATUS = Path("/proc/self/status")


class MemoryUse(NamedTuple):
    """Memory use of this process in bytes.

    `resident`: resident memory now.
    `peak`: largest resident memory so far.
    `data`: size of the data segment, resident or not.
    """

    resident: int
    peak: int
    data: int

    @classmethod
    def now(cls) -> Self:
        """Return the current memory use. Where /proc is missing, all three values are the peak."""
        try:
            lines = STATUS.read_bytes().splitlines()
        except OSError:
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
            return cls(peak, peak, peak)
        sizes = {name: value for name, _, value in (line.partition(b":") for line in lines)}
        return cls(*(int(sizes[name].split()[0]) * 1024 for name in (b"VmRSS", b"VmHWM", b"VmData")))


def allow(megabytes: int) -> None:
    """Limit the memory of this process to its current use plus `megabytes`.

    On Linux the limit is on the data segment, since the address space of large libraries is many times their memory.
    """
    bound = MemoryUse.now().data + megabytes * MEGABYTE
    kind = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
    with suppress(ValueError, OSError):  # a system without that limit
        resource.setrlimit(kind, (bound, bound))


def main() -> int:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warnings.simplefilter("ignore")
    logging.disable()
    requests, replies = _pipes()
    task = receive(requests, Task)
    if task is None or not _tied_to(task.parent):
        return 0
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a reader that crashes leaves no core file
    try:
        _prepare(task)
    except FatalError as error:
        _send(replies, Started(type(error).__name__, str(error)))
        return 0
    ready = MemoryUse.now()
    allow(task.megabytes)
    _send(replies, Started())
    while request := receive(requests, Request):
        _send(replies, _answer(request, task, ready))
    return 0


def _pipes() -> tuple[BinaryIO, BinaryIO]:
    """Return the input and output for frames, and redirect standard output (prints of libraries) to standard error."""
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return sys.stdin.buffer, replies


def _send(replies: BinaryIO, record: object) -> None:
    replies.write(frame(record))
    replies.flush()


def _answer(request: Request, task: Task, ready: MemoryUse) -> Reply:
    """Read the page of a request and return the reply.

    `task` has the settings; `ready` is the memory use when the worker was ready. A page that failed near the memory
    limit is reported as too large, since parsers hide a lack of memory.
    """
    path = Path(os.fsdecode(request.path))
    before = MemoryUse.now().peak
    page = read_page(path, url=request.url, content_type=request.content_type, reading=task.reading)
    after = MemoryUse.now()
    near = max(before, ready.resident + NEAR * task.megabytes * MEGABYTE)
    if page.reason == OUT_OF_MEMORY or (page.reason and after.peak > near):
        reason = f"reading took more than {task.megabytes} MB"
        return Reply(PageText(reason=reason, media_type=page.media_type), worn=True)
    return Reply(page, worn=after.resident > ready.resident + WORN_MEGABYTES * MEGABYTE)


def _prepare(task: Task) -> None:
    """Load the libraries, so that the first page need not wait for them.

    Raises InputError for an unknown splitter or extractor, MissingExtra for one that is not installed.
    """
    import pypdfium2  # noqa: F401

    with _left_out(NEEDLESS if task.reading.splitter == PUNKT else ()):
        splitter(task.reading.splitter)("The first. The second.")
    html_lines("<html><body><p>The first.</p></body></html>", task.reading.extractor)
    gc.freeze()


@contextmanager
def _left_out(modules: Iterable[str]) -> Iterator[None]:
    """Make the modules that are not loaded yet unavailable to imports inside the block."""
    absent = [name for name in modules if name not in sys.modules]
    sys.modules.update(dict.fromkeys(absent))  # type: ignore[arg-type]
    try:
        yield
    finally:
        for name in absent:
            del sys.modules[name]


def _tied_to(parent: int) -> bool:
    """Make this process end with its parent (Linux); return True if the process id of the parent is `parent`."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    return os.getppid() == parent


if __name__ == "__main__":
    raise SystemExit(main())
