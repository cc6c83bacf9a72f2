"""Limits on a server's connections, and a log filter for repeated lines.

A connection that sends no complete request head within `HEAD_SECONDS` is closed, whether it is silent or slow. If there
are more than `most_connections` connections, the one that has been idle longest is closed. If none is idle, the new one
is refused.

Limitations: a client that does not read its response keeps its connection until the network times out.
"""

import asyncio
import logging
import resource
import time

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

HEAD_SECONDS = 20.0  # for a request's head to arrive; a body has its own time
MOST = 200  # one machine's users need only a few
REFUSAL = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\nRetry-After: 10\r\n"
    b"Connection: close\r\nContent-Length: 50\r\n\r\ntoo many connections are in use; try again later.\n"
)
FIRST_PAUSE, LONGEST_PAUSE = 60.0, 3600.0  # seconds before the same line is logged again
KINDS = 100  # different log lines that are remembered; then all are forgotten


def most_connections() -> int:
    """Return the maximum number of connections: MOST, but at most a quarter of the files that the process may open."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST if files == resource.RLIM_INFINITY else max(1, min(MOST, files // 4))


class BoundedProtocol(H11Protocol):
    """An HTTP/1.1 connection of uvicorn that is closed when no request arrives in time."""

    _deadline: asyncio.TimerHandle | None = None
    _idle_since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._await_request()
        others = [one for one in self.connections if one is not self and isinstance(one, BoundedProtocol)]
        others = [one for one in others if not one.transport.is_closing()]
        if len(others) < most_connections():
            return
        if idle := [one for one in others if one.is_idle]:
            min(idle, key=lambda one: one._idle_since).transport.abort()
        else:
            transport.write(REFUSAL)
            transport.close()

    @property
    def is_idle(self) -> bool:
        """Return True if the connection is answering no request."""
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is None or cycle.response_complete

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if not self.is_idle:
            self._stop_waiting()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.is_idle:
            self._await_request()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _await_request(self) -> None:
        self._stop_waiting()
        self._idle_since = self.loop.time()
        self._deadline = self.loop.call_later(HEAD_SECONDS, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


class RepeatedLineFilter(logging.Filter):
    """Log filter: lets a line through once, then again after a pause that doubles each time.

    Tracebacks of system errors in asyncio become one line.
    """

    def __init__(self) -> None:
        super().__init__()
        self._due: dict[str, tuple[float, float]] = {}  # when a line may be logged again, and the pause after that

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        line = record.getMessage().partition("\n")[0]
        if error is not None:
            line = f"{line}: {type(error).__name__}: {str(error)[:100]}"
        if isinstance(error, OSError) and record.name == "asyncio":
            record.msg, record.args, record.exc_info = line, (), None
        now = time.monotonic()
        due, pause = self._due.get(line, (now, FIRST_PAUSE))
        if now < due:
            return False
        if len(self._due) >= KINDS:
            self._due.clear()
        self._due[line] = (now + pause, min(2 * pause, LONGEST_PAUSE))
        return True
