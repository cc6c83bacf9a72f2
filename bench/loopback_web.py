"""A web on loopback: 200 hosts, each with its own latency of 50 to 200 ms, real bytes, some hosts silent for ever.

    with LoopbackWeb(pages, latency=(0.05, 0.2), hanging=4) as web: web.urls(1000)

It runs in a process of its own, so that its work is not the client's. Hosts are the addresses 127.0.1.1 to 127.0.1.200
of one machine, each page has an address of its own, and a connection may be used again.

Limitations: plain HTTP without TLS, and no name is looked up: these costs of the real web are not in the measurements.
"""

import asyncio
import multiprocessing
import random
from collections.abc import Sequence
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import TracebackType
from typing import Self

HOSTS = 200
TYPES = {".html": "text/html", ".pdf": "application/pdf"}


class LoopbackWeb:
    """Web of 200 hosts on loopback. `pages` are the files that they serve; `hanging` hosts accept a connection and
    never answer.
    """

    def __init__(
        self, pages: Sequence[Path], *, latency: tuple[float, float] = (0.05, 0.2), hanging: int = 0, seed: int = 0
    ) -> None:
        self._pages = pages
        self._settings = (latency, hanging, seed)
        self._process: BaseProcess | None = None
        self._port = 0

    def __enter__(self) -> Self:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, self._pages, *self._settings), daemon=True)
        self._process.start()
        self._port = ours.recv()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process:
            self._process.kill()
            self._process.join()

    def urls(self, count: int) -> list[str]:
        """Return different URLs, which go over hosts and pages in turn; those of the last `hanging` hosts never
        answer.
        """
        pages = len(self._pages)
        return [f"http://{_address(n % HOSTS)}:{self._port}/{n % pages}?{n}" for n in range(count)]


def _address(host: int) -> str:
    return f"127.0.1.{host + 1}"


def _serve(pipe: Connection, pages: Sequence[Path], latency: tuple[float, float], hanging: int, seed: int) -> None:
    answers = [_answer(page) for page in pages]
    chosen = random.Random(seed)
    waits = {_address(host): chosen.uniform(*latency) for host in range(HOSTS)}
    silent = {_address(host) for host in range(HOSTS - hanging, HOSTS)}

    class Web(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            assert isinstance(transport, asyncio.Transport)
            self._transport = transport
            self._address = transport.get_extra_info("sockname")[0]
            self._request = b""

        def data_received(self, data: bytes) -> None:
            self._request += data
            while b"\r\n\r\n" in self._request:
                request, _, self._request = self._request.partition(b"\r\n\r\n")
                if self._address in silent:
                    continue
                number = int(request.split(b"?")[0].rpartition(b"/")[2])
                asyncio.get_running_loop().call_later(waits[self._address], self._transport.write, answers[number])

    async def main() -> None:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(Web, _address(0), 0, backlog=1000)
        port = server.sockets[0].getsockname()[1]
        for host in range(1, HOSTS):
            await loop.create_server(Web, _address(host), port, backlog=1000)
        pipe.send(port)
        await server.serve_forever()

    asyncio.run(main())


def _answer(page: Path) -> bytes:
    body = page.read_bytes()
    kind = TYPES.get(page.suffix, "application/octet-stream")
    return f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
