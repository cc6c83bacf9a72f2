"""Parent's end of the socket to one worker.

asyncio's own pipes to processes are made in several steps; an event loop that stops between two of them hangs.

Limitations: the format of messages is in `frames.py`; the caller decides when to end.
"""

import asyncio
import socket
from contextlib import suppress

from src.retrieval.pages.frames import LENGTH_BYTES


class WorkerLink:
    """Link for one request at a time; `busy` while one waits for its reply. Close it only when it is not busy."""

    def __init__(self, ours: socket.socket) -> None:
        ours.setblocking(False)
        self.busy = False
        self._socket = ours

    async def exchange(self, question: bytes) -> bytes:
        """Send a frame; return the body of the reply's frame. Raises EOFError when the worker or the link has ended."""
        self.busy = True
        try:
            await asyncio.get_running_loop().sock_sendall(self._socket, question)
            return await self._receive(int.from_bytes(await self._receive(LENGTH_BYTES)))
        except OSError:  # the worker has ended, or the link is closed
            raise EOFError from None
        finally:
            self.busy = False

    def hang_up(self) -> None:
        """End the connection, also for the request that waits."""
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
