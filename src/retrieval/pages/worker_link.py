"""The pipes to a worker and its end, as the event loop tells of them.

asyncio's own streams for processes wait for the end of a pipe in a way that breaks when the waiting is cancelled.

But: what passes through the pipes is `frames.py`; when to end is the caller's.
"""

import asyncio
from typing import Any, cast

STDIN, STDOUT = 0, 1
PIPE_BYTES = 1 << 20


class WorkerLink(asyncio.SubprocessProtocol):
    """`answers` has what the worker wrote; `gone` is done, with its exit code, when it and both pipes have ended."""

    def __init__(self) -> None:
        self.answers = asyncio.StreamReader(limit=PIPE_BYTES)
        self.gone: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._process = cast(asyncio.SubprocessTransport, transport)
        self._questions = cast(asyncio.WriteTransport, self._process.get_pipe_transport(STDIN))
        self.answers.set_transport(cast(asyncio.BaseTransport, self._process.get_pipe_transport(STDOUT)))

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        self.answers.feed_data(data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd == STDOUT:
            self.answers.feed_eof()

    def connection_lost(self, exc: Exception | None) -> None:
        code = self._process.get_returncode()
        assert code is not None
        self._process.close()
        self.gone.set_result(code)

    def ask(self, question: bytes) -> None:
        """Sends it; to a worker that has ended, nothing is sent and `answers` ends."""
        self._questions.write(question)

    def hang_up(self) -> None:
        """Closes both pipes, with whatever is in them."""
        if not self._questions.is_closing():
            self._questions.abort()
        cast(asyncio.ReadTransport, self._process.get_pipe_transport(STDOUT)).close()


async def outlast(future: asyncio.Future[Any]) -> None:
    """Waits until the future is done, also when cancelled meanwhile: that is raised then."""
    cancelled: asyncio.CancelledError | None = None
    while not future.done():
        try:
            await asyncio.wait([future])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled:
        raise cancelled
