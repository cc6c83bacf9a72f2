"""What names stand for, asked once a run: answers are kept, and questions on their way are shared.

But: keeps no more than `keep` names, and takes no notice of how long the name servers say that an answer holds.
The system's resolver blocks a thread for each question, so no more than `threads` are asked at once; a question that
nobody waits for any more keeps its thread until the resolver gives up.
"""

import asyncio
import socket
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor

from src.retrieval.web.failures import FetchFailed

Resolve = Callable[[str], Awaitable[list[str]]]

NO_SUCH_NAME = {socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)}


class Lookups:
    """Addresses of host names. `resolve` stands in for the system's resolver."""

    def __init__(self, resolve: Resolve | None = None, *, keep: int = 10_000, threads: int = 64) -> None:
        self._resolve = resolve or self._ask_system
        self._keep = keep
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="lookup")
        self._asked: OrderedDict[str, asyncio.Task[list[str] | FetchFailed]] = OrderedDict()

    async def addresses(self, host: str) -> list[str]:
        """The addresses that the name stands for. Raises FetchFailed."""
        task = self._asked.get(host)
        if task is None:
            task = self._asked[host] = asyncio.create_task(self._ask(host))
            self._drop_oldest()
        self._asked.move_to_end(host)
        found = await asyncio.shield(task)
        if isinstance(found, FetchFailed):
            raise found.again()
        return found

    def forget(self, host: str) -> None:
        """Ask again next time: nothing answered at the addresses known so far."""
        task = self._asked.get(host)
        if task is not None and task.done():
            del self._asked[host]

    async def close(self) -> None:
        tasks = list(self._asked.values())
        self._asked.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _ask(self, host: str) -> list[str] | FetchFailed:
        try:
            return await self._resolve(host) or FetchFailed(f"no such host: {host}")
        except (OSError, UnicodeError) as error:
            failure = _failure(host, error)
        if failure.transient:
            self._asked.pop(host, None)
        return failure

    async def _ask_system(self, host: str) -> list[str]:
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(self._threads, _getaddrinfo, host)
        return list(dict.fromkeys(found))

    def _drop_oldest(self) -> None:
        while len(self._asked) > self._keep:
            oldest = next(iter(self._asked))
            if not self._asked[oldest].done():
                return
            del self._asked[oldest]


def _getaddrinfo(host: str) -> list[str]:
    infos = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
    return [str(info[4][0]) for info in infos]


def _failure(host: str, error: OSError | UnicodeError) -> FetchFailed:
    if isinstance(error, UnicodeError) or error.errno in NO_SUCH_NAME:
        return FetchFailed(f"no such host: {host}")
    return FetchFailed(f"name lookup failed: {(error.strerror or str(error)).lower()}", transient=True)
