"""The socket between the process that asks for pages and one worker, as the former holds it.

asyncio's own pipes to processes are made in steps, and an event loop that breaks between two of them waits for ever.

But: what passes through the socket is `frames.py`; when to end is the caller's.
"""

import asyncio
import socket
from contextlib import suppress

from src.retrieval.pages.frames import LENGTH_BYTES


class WorkerLink:
    """One question at a time; `busy` while one waits for its answer. To be closed when it no longer is."""

    def __init__(self, ours: socket.socket) -> None:
        ours.setblocking(False)
        self.busy = False
        self._socket = ours

    async def exchange(self, question: bytes) -> bytes:
        """What the frame holds that answers this one. Raises EOFError: the worker has ended, or was hung up on."""
        self.busy = True
        try:
            await asyncio.get_running_loop().sock_sendall(self._socket, question)
            return await self._receive(int.from_bytes(await self._receive(LENGTH_BYTES)))
        except OSError:  # the worker has ended, or the link is closed
            raise EOFError from None
        finally:
            self.busy = False

    def hang_up(self) -> None:
        """Nothing comes any more, also for the question that waits."""
        with suppress(OSError):  # the other side was faster, or it is closed
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
