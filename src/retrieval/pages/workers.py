"""Pool of worker processes that read pages; a worker that exceeds its time or memory is killed and replaced.

Limitations: as many pages at once as there are workers; further callers wait.
"""

import asyncio
import os
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from src.errors import FatalError
from src.retrieval.pages.frames import Request
from src.retrieval.pages.page_text import PageText
from src.retrieval.pages.reader import Reading
from src.retrieval.pages.worker_process import WorkerDiedError, WorkerProcess
from src.store import storable

ATTEMPTS = 2  # for a page whose worker ended: another process's memory use may have caused it


class PageWorkers:
    """Pool of `workers` processes, each for one page at a time and for at most `renew_after` pages.

    A page may take `seconds`, and `megabytes` of memory beyond what its worker held when it was ready. `async with`
    starts and ends them. It raises FatalError when they cannot work, such as MissingExtra for a sentence splitter that
    is not installed.
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
        """Return the sentences of the page, or the reason why there are none. Never raises for the content of a page.

        Raises FatalError when no worker can be started any more.
        """
        request = Request(os.fsencode(path.absolute()), storable(url), storable(content_type))
        place = await self._idle.get()
        try:
            return await self._read(place, request)
        finally:
            self._idle.put_nowait(place)

    async def _read(self, place: int, request: Request) -> PageText:
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
        """Start a worker, in place of another. It is not cancelled when the pool ends, but raises FatalError then."""
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
        """Wait until every worker is gone, also one that is just being replaced."""
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
    """Wait until the future is done. A cancellation in the meantime is raised afterwards."""
    cancelled: asyncio.CancelledError | None = None
    while not future.done():
        try:
            await asyncio.wait([future])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled:
        raise cancelled
