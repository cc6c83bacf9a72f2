"""Queue of URLs to fetch: a few at once from one host, hosts in turn, and silent hosts given up.

A host that hangs occupies only its own few slots, and the other hosts go on. When a host that never answered has failed
several times, the rest of its URLs are not tried. A run then takes one deadline longer for it, not one for each URL.
"""

import asyncio
from collections import Counter, deque
from dataclasses import dataclass, field
from urllib.parse import urlsplit

WINDOW = 5000  # URLs that may wait for their host: memory, against hosts that hold up all others
STRIKES = 3  # URLs of a host in a row that timed out or got no answer, after which the rest are not tried
MORE_STRIKES = 10  # the same for a host that did answer before


@dataclass(frozen=True, slots=True)
class Place:
    """One row that needs a URL's page."""

    claim_id: int
    row: int


@dataclass(eq=False, slots=True)
class Task:
    """A URL to fetch, and every row that needs its page; `host` is the server that it is fetched from."""

    url: str
    host: str
    places: list[Place] = field(default_factory=list)


class Frontier:
    """Queue of tasks: `put` on one side, `take` on the other; `finished` after each fetch frees the host's slot.

    `window` is how many URLs may wait: `put` waits while there are more. Without `give_up` a host may fail any number
    of times, as an archive that all pages come from.
    """

    def __init__(self, per_host: int, window: int = WINDOW, *, give_up: bool = True) -> None:
        self._per_host = per_host
        self._give_up = give_up
        self._room = asyncio.Semaphore(window)
        self._waiting: dict[str, deque[Task]] = {}
        self._turns: asyncio.Queue[str | None] = asyncio.Queue()  # a host once for each URL that may be taken now
        self._offered: Counter[str] = Counter()  # how often each host is in _turns
        self._busy: Counter[str] = Counter()
        self._strikes: Counter[str] = Counter()
        self._answered: set[str] = set()
        self._closed = False

    async def put(self, task: Task) -> None:
        await self._room.acquire()
        self._waiting.setdefault(task.host, deque()).append(task)
        self._offer(task.host)

    def close(self) -> None:
        """Signal that nothing more will be put."""
        self._closed = True
        self._end_when_empty()

    async def take(self) -> Task | None:
        """Return the next task whose host has a free slot; None when the queue is closed and empty."""
        host = await self._turns.get()
        if host is None:
            self._turns.put_nowait(None)  # for the next caller
            return None
        task = self._waiting[host].popleft()
        if not self._waiting[host]:
            del self._waiting[host]
        self._offered[host] -= 1
        self._busy[host] += 1
        self._room.release()
        self._end_when_empty()
        return task

    def finished(self, task: Task, *, answered: bool) -> None:
        """Free the host's slot after a fetch. `answered`: the host answered in time, with any status."""
        if answered:
            self._answered.add(task.host)
            self._strikes.pop(task.host, None)
        else:
            self._strikes[task.host] += 1
        self._busy[task.host] -= 1
        self._offer(task.host)

    def is_given_up(self, host: str) -> bool:
        return self._give_up and self._left(host) <= 0

    def _offer(self, host: str) -> None:
        may = min(len(self._waiting.get(host, ())), self._limit(host) - self._busy[host])
        while self._offered[host] < may:
            self._offered[host] += 1
            self._turns.put_nowait(host)
        if not self._offered[host] and not self._busy[host]:
            del self._offered[host], self._busy[host]

    def _limit(self, host: str) -> int:
        """Return how many fetches of the host may run at once: for a failing host, no more than it has strikes left."""
        left = self._left(host)
        failing = self._give_up and host in self._strikes and left > 0
        return min(self._per_host, left) if failing else self._per_host

    def _left(self, host: str) -> int:
        return (MORE_STRIKES if host in self._answered else STRIKES) - self._strikes.get(host, 0)

    def _end_when_empty(self) -> None:
        if self._closed and not self._waiting:
            self._turns.put_nowait(None)


def host_of(url: str) -> str:
    """Return host and port in lower case; "" where the URL has none."""
    try:
        return urlsplit(url.strip()).netloc.rpartition("@")[2].lower()
    except ValueError:
        return ""
