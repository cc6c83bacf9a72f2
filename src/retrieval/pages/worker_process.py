"""One worker as the process sees it that asks for pages: start, ask, kill.

But: one question at a time; whoever breaks off amid one kills the worker.
"""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Self, TypeVar

import msgspec

from src.errors import FatalError, InputError, MissingExtra, one_line
from src.retrieval.pages.frames import Reply, Request, Started, Task, frame
from src.retrieval.pages.reader import Reading
from src.retrieval.pages.worker_link import WorkerLink

START_SECONDS = 120.0  # a large spaCy model on a busy machine takes long
POLL_SECONDS = 0.002  # between two looks at whether a worker that ends has ended
TAIL_BYTES = 2_000  # of what a worker wrote to standard error that are looked at
ROOT = Path(__file__).resolve().parents[3]
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
KNOWN_ERRORS: dict[str, type[FatalError]] = {kind.__name__: kind for kind in (MissingExtra, InputError)}

T = TypeVar("T")


class WorkerDiedError(Exception):
    """The worker ended amid a page; the message says how."""


class WorkerProcess:
    """A worker; `pages` counts what it has read. Whoever spawns one kills it, whatever happens."""

    def __init__(self, process: subprocess.Popen[bytes], link: WorkerLink, errors: IO[bytes]) -> None:
        self.pages = 0
        self._process = process
        self._link = link
        self._errors = errors

    @classmethod
    def spawn(cls) -> Self:
        """A process that is not ready yet. Raises FatalError."""
        with ExitStack() as opened:
            try:
                ours, theirs = map(opened.enter_context, socket.socketpair())
                errors = opened.enter_context(tempfile.TemporaryFile())
                process = _started(theirs, errors)
            except OSError as error:
                why = error.strerror or error
                raise FatalError(f"a process that reads pages cannot be started: {why}") from None
            opened.pop_all()
        theirs.close()
        return cls(process, WorkerLink(ours), errors)

    async def begin(self, reading: Reading, megabytes: int) -> None:
        """Waits until it is ready. Raises FatalError: MissingExtra when what `reading` asks for is not installed."""
        try:
            async with asyncio.timeout(START_SECONDS):
                started = await self._ask(Task(reading, megabytes, os.getpid()), Started)
        except (WorkerDiedError, TimeoutError) as error:
            why = self._tail() or str(error) or f"not ready after {START_SECONDS:g} s"
            raise FatalError(f"a process that reads pages does not start: {why}") from None
        if started.error:
            raise KNOWN_ERRORS.get(started.error, FatalError)(started.message)

    async def read(self, request: Request) -> Reply:
        """The page read. Raises WorkerDiedError."""
        self.pages += 1
        return await self._ask(request, Reply)

    def stop(self) -> None:
        """Ends the worker at once, whatever it is at."""
        self._process.kill()

    async def kill(self) -> None:
        """Ends the worker and waits until it is gone, also when cancelled meanwhile: that is raised then."""
        self.stop()
        self._link.hang_up()
        cancelled: asyncio.CancelledError | None = None
        while self._process.poll() is None or self._link.busy:
            try:
                await asyncio.sleep(POLL_SECONDS)
            except asyncio.CancelledError as error:
                cancelled = error
        self._link.close()
        self._errors.close()
        if cancelled:
            raise cancelled

    async def _ask(self, question: object, answer: type[T]) -> T:
        try:
            return msgspec.msgpack.decode(await self._link.exchange(frame(question)), type=answer)
        except EOFError:
            raise WorkerDiedError(self._ending(await self._exit_code())) from None

    async def _exit_code(self) -> int:
        while (code := self._process.poll()) is None:
            await asyncio.sleep(POLL_SECONDS)
        return code

    def _ending(self, code: int) -> str:
        if code < 0:
            return f"reader ended by {signal.Signals(-code).name}"
        return f"reader ended with exit code {code}"

    def _tail(self) -> str:
        """The last line of standard error: of a traceback, the error."""
        end = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, end - TAIL_BYTES))
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return one_line(lines[-1]) if lines else ""


def _started(link: socket.socket, errors: IO[bytes]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        (sys.executable, "-m", "src.retrieval.pages.worker"),
        stdin=link.fileno(),
        stdout=link.fileno(),
        stderr=errors,
        cwd=ROOT,
        env={**os.environ, **ONE_THREAD, "PYTHONWARNINGS": "ignore"},
    )
