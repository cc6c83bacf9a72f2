"""A loopback server whose every path is a fault of the real web, written on bare sockets so that it may break HTTP.

    with FaultServer() as server:
        server.url("hang-before-headers")        the faults by name are in `faults.py`
        server.answer("twice", BUSY, PAGE)       ready answers: one a request, the last one for all that follow
        server.requests["hang-before-headers"]   how often a path was asked for
        server.heads["twice"]                    the requests as they came in, head only

It runs in a thread with an event loop of its own. `server.url(name, host="a.test")` names another host: the client's
name lookup must lead it to `server.address`. With `tls` it speaks TLS.
"""

import asyncio
import ssl
import threading
from collections import Counter, defaultdict
from types import TracebackType
from typing import Self

from tests.retrieval.web.faults import FAULTS, Answer, send

TLS_HELLO = b"\x16"


class FaultServer:
    """A context manager; its port is free again afterwards, whatever was hanging."""

    def __init__(self, address: str = "127.0.0.1", tls: ssl.SSLContext | None = None) -> None:
        self.address = address
        self.requests: Counter[str] = Counter()
        self.others: Answer = FAULTS["404"]  # what all other paths answer
        self.heads: defaultdict[str, list[str]] = defaultdict(list)
        self._tls = tls
        self._answers: dict[str, Answer] = dict(FAULTS)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="fault server", daemon=True)
        self._open: set[asyncio.Task[None]] = set()

    def __enter__(self) -> Self:
        self._thread.start()
        self._server = asyncio.run_coroutine_threadsafe(self._start(), self._loop).result()
        self.port: int = self._server.sockets[0].getsockname()[1]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @property
    def connections(self) -> int:
        """How many are open."""
        return len(self._open)

    def url(self, name: str, host: str = "") -> str:
        scheme = "https" if self._tls else "http"
        return f"{scheme}://{host or self.address}:{self.port}/{name}"

    def answer(self, name: str, *answers: bytes | Answer) -> str:
        """Answers for a path, and its URL."""
        left = [send(answer) if isinstance(answer, bytes) else answer for answer in answers]

        async def in_turn(head: str, out: asyncio.StreamWriter) -> None:
            await (left.pop(0) if len(left) > 1 else left[0])(head, out)

        self._answers[name] = in_turn
        return self.url(name)

    async def _start(self) -> asyncio.Server:
        return await asyncio.start_server(self._serve, self.address, 0, ssl=self._tls, backlog=1024)

    async def _stop(self) -> None:
        self._server.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)
        await self._server.wait_closed()

    async def _serve(self, incoming: asyncio.StreamReader, out: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            while not out.is_closing():
                first = await incoming.readexactly(1)
                if first == TLS_HELLO:
                    return out.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                head = (first + await incoming.readuntil(b"\r\n\r\n")).decode("latin-1")
                name = head.split(" ")[1].lstrip("/")
                self.requests[name] += 1
                self.heads[name].append(head)
                await self._answers.get(name, self.others)(head, out)
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client has gone, or the test is over
        finally:
            self._open.discard(task)
            out.transport.abort() if task.cancelling() else out.close()
