"""DNS cache: each host is resolved once per run, and concurrent requests share a query.

Limitations: at most `keep` names are kept, and the TTL of answers is ignored. The system's resolver blocks a thread for
each query, so at most `threads` run at once. A query that nobody waits for any more keeps its thread until the resolver
gives up.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor

from src.retrieval.web.failures import FetchFailed
from src.retrieval.web.single_flight import AskedOnce

Resolve = Callable[[str], Awaitable[list[str]]]

NO_SUCH_NAME = {socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)}


class Lookups:
    """Addresses of host names. `resolve` replaces the system's resolver."""

    def __init__(self, resolve: Resolve | None = None, *, keep: int = 10_000, threads: int = 64) -> None:
        self._resolve = resolve or self._ask_system
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="lookup")
        self._names = AskedOnce(self._ask, keep)

    async def addresses(self, host: str) -> list[str]:
        """Return the addresses of a host name. Raises FetchFailed when it has none or cannot be resolved."""
        return await self._names.answer(host)

    def forget(self, host: str) -> None:
        """Resolve the name again next time, since its known addresses did not answer."""
        self._names.forget(host)

    async def close(self) -> None:
        await self._names.close()
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _ask(self, host: str) -> list[str]:
        try:
            found = await self._resolve(host)
        except (OSError, UnicodeError) as error:
            raise _failure(host, error) from None
        if not found:
            raise FetchFailed(f"no such host: {host}")
        return found

    async def _ask_system(self, host: str) -> list[str]:
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(self._threads, _getaddrinfo, host)
        return list(dict.fromkeys(found))


def _getaddrinfo(host: str) -> list[str]:
    infos = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
    return [str(info[4][0]) for info in infos]


def _failure(host: str, error: OSError | UnicodeError) -> FetchFailed:
    if isinstance(error, UnicodeError) or error.errno in NO_SUCH_NAME:
        return FetchFailed(f"no such host: {host}")
    return FetchFailed(f"name lookup failed: {(error.strerror or str(error)).lower()}", transient=True)
