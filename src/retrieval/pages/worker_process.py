"""Parent's handle of one worker process: start, ask, kill.

Limitations: one request at a time. A caller that abandons a request must kill the worker.
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
POLL_SECONDS = 0.002  # interval of checks that a worker has ended
TAIL_BYTES = 2_000  # end of a worker's standard error that is examined
ROOT = Path(__file__).resolve().parents[3]
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
KNOWN_ERRORS: dict[str, type[FatalError]] = {kind.__name__: kind for kind in (MissingExtra, InputError)}

T = TypeVar("T")


class WorkerDiedError(Exception):
    """Raised when the worker ended while reading a page; the message says how."""


class WorkerProcess:
    """A worker; `pages` counts the pages it was given. The caller that spawns it must kill it in all cases."""

    def __init__(self, process: subprocess.Popen[bytes], link: WorkerLink, errors: IO[bytes]) -> None:
        self.pages = 0
        self._process = process
        self._link = link
        self._errors = errors

    @classmethod
    def spawn(cls) -> Self:
        """Start a process, which is not ready yet. Raises FatalError when it cannot be started."""
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
        """Wait until the worker is ready.

        Raises FatalError when it does not start, MissingExtra when a package that `reading` needs is not installed.
        """
        try:
            async with asyncio.timeout(START_SECONDS):
                started = await self._ask(Task(reading, megabytes, os.getpid()), Started)
        except (WorkerDiedError, TimeoutError) as error:
            why = self._tail() or str(error) or f"not ready after {START_SECONDS:g} s"
            raise FatalError(f"a process that reads pages does not start: {why}") from None
        if started.error:
            raise KNOWN_ERRORS.get(started.error, FatalError)(started.message)

    async def read(self, request: Request) -> Reply:
        """Return the worker's reply. Raises WorkerDiedError when it ended."""
        self.pages += 1
        return await self._ask(request, Reply)

    def stop(self) -> None:
        """Kill the worker at once; do not wait."""
        self._process.kill()

    async def kill(self) -> None:
        """Kill the worker and wait until it is gone. A cancellation in the meantime is raised afterwards."""
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
        """Return the last line of standard error: the error of a traceback."""
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
