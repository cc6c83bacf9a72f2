"""Pool of worker processes that read pages; a worker that exceeds its time or memory is killed and replaced.

Parent and workers exchange messages (`frames.py`) over sockets. asyncio's own pipes are not used: they are created in
several steps, and an event loop that stops between two of them hangs.

Limitations: each worker reads one page at a time; further callers wait.
"""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self, TypeVar

import msgspec

from src.errors import FatalError, InputError, MissingExtra, one_line
from src.retrieval.pages.frames import LENGTH_BYTES, Reply, Request, Started, Task, frame
from src.retrieval.pages.reader import PageText, Reading
from src.store import storable

ATTEMPTS = 2  # attempts at a page whose worker died, perhaps by another process's memory use
START_SECONDS = 120.0  # a large spaCy model on a busy machine takes long
POLL_SECONDS = 0.002  # interval of checks that a worker has ended
TAIL_BYTES = 2_000  # end of a worker's standard error that is examined
ROOT = Path(__file__).resolve().parents[3]
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
KNOWN_ERRORS: dict[str, type[FatalError]] = {kind.__name__: kind for kind in (MissingExtra, InputError)}

T = TypeVar("T")


class WorkerLink:
    """Connection to a worker process, for one request at a time.

    `busy` is True while a request waits for its reply; the link must not be closed then.
    """

    def __init__(self, ours: socket.socket) -> None:
        ours.setblocking(False)
        self.busy = False
        self._socket = ours

    async def exchange(self, question: bytes) -> bytes:
        """Send a frame to the worker; return the body of the frame that it sends back.

        Raises EOFError when the worker has ended or the connection is closed.
        """
        self.busy = True
        try:
            await asyncio.get_running_loop().sock_sendall(self._socket, question)
            return await self._receive(int.from_bytes(await self._receive(LENGTH_BYTES)))
        except OSError:  # the worker has ended, or the link is closed
            raise EOFError from None
        finally:
            self.busy = False

    def hang_up(self) -> None:
        """Shut down the connection; a request that waits for its reply ends with EOFError."""
        with suppress(OSError):  # already closed, by this side or the other
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._socket.close()

    async def _receive(self, count: int) -> bytes:
        received = memoryview(bytearray(count))
        left = received
        while left:
            arrived = await asyncio.get_running_loop().sock_recv_into(self._socket, left)
            if not arrived:
                raise EOFError
            left = left[arrived:]
        return bytes(received)


class WorkerDiedError(Exception):
    """Raised when a worker process ended before its reply; the message has the signal or exit code."""


class WorkerProcess:
    """A worker process. The caller of `spawn` must call `kill` in all cases. `pages` counts its requests."""

    def __init__(self, process: subprocess.Popen[bytes], link: WorkerLink, errors: IO[bytes]) -> None:
        self.pages = 0
        self._process = process
        self._link = link
        self._errors = errors

    @classmethod
    def spawn(cls) -> Self:
        """Start a worker process; `begin` waits until it is ready. Raises FatalError when it cannot be started."""
        with ExitStack() as opened:
            try:
                parent_end, worker_end = map(opened.enter_context, socket.socketpair())
                errors = opened.enter_context(tempfile.TemporaryFile())
                process = _started(worker_end, errors)
            except OSError as error:
                why = error.strerror or error
                raise FatalError(f"a process that reads pages cannot be started: {why}") from None
            opened.pop_all()
        worker_end.close()
        return cls(process, WorkerLink(parent_end), errors)

    async def begin(self, reading: Reading, megabytes: int) -> None:
        """Send the settings to the worker and wait until it is ready.

        `megabytes`: memory limit for reading pages. Raises FatalError when the worker does not get ready, MissingExtra
        when a package that `reading` needs is not installed.
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
        """Return the worker's reply to a request to read a page. Raises WorkerDiedError when the worker ended."""
        self.pages += 1
        return await self._ask(request, Reply)

    def stop(self) -> None:
        """Kill the worker without waiting for its end."""
        self._process.kill()

    async def kill(self) -> None:
        """Kill the worker, wait for its end, and close its files. A cancellation meanwhile is raised afterwards."""
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
        """Return the last line of the worker's standard error: the error message of a traceback."""
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


class PageWorkers:
    """Pool of worker processes that read pages: `async with PageWorkers(...) as pages: await pages.read(path, ...)`.

    `workers`: number of processes, each of which reads one page at a time.
    `reading`: settings of reading pages.
    `seconds`: time limit of a page.
    `megabytes`: memory limit of a page, in addition to the memory of a worker that is ready.
    `renew_after`: number of pages after which a worker is replaced.

    The start raises FatalError when the workers do not get ready, such as MissingExtra for a sentence splitter that is
    not installed.
    """

    def __init__(
        self,
        workers: int,
        reading: Reading,
        *,
        seconds: float = 30,
        megabytes: int = 1500,
        renew_after: int = 2000,
    ) -> None:
        self._workers = workers
        self._reading = reading
        self._seconds = seconds
        self._megabytes = megabytes
        self._renew_after = renew_after
        self._places: list[asyncio.Task[WorkerProcess]] = []  # start of each worker; done once it is ready
        self._living: set[WorkerProcess] = set()
        self._open = False
        self._idle: asyncio.Queue[int] = asyncio.Queue()

    async def __aenter__(self) -> Self:
        self._open = True
        self._places = [asyncio.create_task(self._start()) for _ in range(self._workers)]
        try:
            ready, _ = await asyncio.wait(self._places, return_when=asyncio.FIRST_EXCEPTION)
            for starting in ready:
                starting.result()
        except BaseException:
            await self._end()
            raise
        for place in range(self._workers):
            self._idle.put_nowait(place)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self._end()

    async def read(self, path: Path, *, url: str, content_type: str) -> PageText:
        """Return the sentences of the page at `path`, or the reason why there are none.

        `content_type` is the server's header. Never raises for the content of a page. Raises FatalError when a worker
        must be replaced but cannot be started.
        """
        request = Request(os.fsencode(path.absolute()), storable(url), storable(content_type))
        place = await self._idle.get()
        try:
            return await self._read(place, request)
        finally:
            self._idle.put_nowait(place)

    async def _read(self, place: int, request: Request) -> PageText:
        """Read a page with the worker at index `place`; replace the worker if it failed or is used up."""
        reason = ""
        for _ in range(ATTEMPTS):
            worker = await asyncio.shield(self._places[place])
            keep = False
            try:
                async with asyncio.timeout(self._seconds):
                    reply = await worker.read(request)
                keep = not reply.worn and worker.pages < self._renew_after
                return reply.page
            except TimeoutError:
                return PageText(reason=f"reading took more than {self._seconds:g} s")
            except WorkerDiedError as error:
                reason = str(error)
            finally:
                if not keep and self._open:
                    worker.stop()
                    self._places[place] = asyncio.create_task(self._start(instead_of=worker))
        return PageText(reason=reason)

    async def _start(self, instead_of: WorkerProcess | None = None) -> WorkerProcess:
        """Start a worker, and kill the worker that it replaces. Raises FatalError if the pool has ended meanwhile."""
        if instead_of:
            await instead_of.kill()
            self._living.discard(instead_of)
        if not self._open:
            raise FatalError("the processes that read pages have ended")
        worker = WorkerProcess.spawn()
        self._living.add(worker)
        await worker.begin(self._reading, self._megabytes)
        return worker

    async def _end(self) -> None:
        """Kill all workers and wait for their end, also of those that are being started or replaced."""
        self._open = False
        for worker in self._living:
            worker.stop()
        try:
            await _outlast(asyncio.gather(*self._places, return_exceptions=True))
        finally:
            left, self._living = self._living, set()
            kills = asyncio.gather(*(worker.kill() for worker in left), return_exceptions=True)
            await _outlast(kills)
        for failure in filter(None, kills.result()):
            raise failure


async def _outlast(future: asyncio.Future[Any]) -> None:
    """Wait until the future is done. A cancellation of the caller meanwhile is raised afterwards."""
    cancelled: asyncio.CancelledError | None = None
    while not future.done():
        try:
            await asyncio.wait([future])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled:
        raise cancelled
