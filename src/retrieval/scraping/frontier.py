"""Which URL is fetched next: never more than a few at once from one host, hosts in turn, silent hosts given up.

A host that hangs holds its own few places only, so that the others go on; once it failed to answer several times and
never did, the rest of its URLs are not tried, and a run takes one deadline longer for it, not one for each URL.
"""

import asyncio
from collections import Counter, deque
from dataclasses import dataclass, field
from urllib.parse import urlsplit

WINDOW = 5000  # URLs that may wait for their host: memory, against hosts that hold up all others
STRIKES = 3  # URLs of a host without an answer, and none with one, after which the rest are not tried


@dataclass(frozen=True, slots=True)
class Place:
    """One row that wants a URL's page."""

    claim_id: int
    row: int


@dataclass(eq=False, slots=True)
class Task:
    """A URL to fetch, and every row that wants its page; `host` is where it is fetched from."""

    url: str
    host: str
    places: list[Place] = field(default_factory=list)


class Frontier:
    """`put` from one side, `take` from the other; `finished` after each fetch gives the host's place free.

    `window` is how many URLs may wait: `put` waits while there are more.
    """

    def __init__(self, per_host: int, window: int = WINDOW) -> None:
        self._per_host = per_host
        self._room = asyncio.Semaphore(window)
        self._waiting: dict[str, deque[Task]] = {}
        self._turns: asyncio.Queue[str | None] = asyncio.Queue()  # a host once for each URL that may be taken now
        self._offered: Counter[str] = Counter()  # how often each host stands in _turns
        self._busy: Counter[str] = Counter()
        self._strikes: Counter[str] = Counter()
        self._answered: set[str] = set()
        self._closed = False

    async def put(self, task: Task) -> None:
        await self._room.acquire()
        self._waiting.setdefault(task.host, deque()).append(task)
        self._offer(task.host)

    def close(self) -> None:
        """Nothing more will be put."""
        self._closed = True
        self._end_when_empty()

    async def take(self) -> Task | None:
        """The next URL whose host has a place free; None when all is taken and closed."""
        host = await self._turns.get()
        if host is None:
            self._turns.put_nowait(None)  # for the next one who asks
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
        """The fetch ended; `answered` says whether the host sent anything."""
        if answered:
            self._answered.add(task.host)
        else:
            self._strikes[task.host] += 1
        self._busy[task.host] -= 1
        self._offer(task.host)

    def is_silent(self, task: Task) -> bool:
        """Whether the task's host is given up."""
        return self._strikes[task.host] >= STRIKES and task.host not in self._answered

    def _offer(self, host: str) -> None:
        may = min(len(self._waiting.get(host, ())), self._limit(host) - self._busy[host])
        while self._offered[host] < may:
            self._offered[host] += 1
            self._turns.put_nowait(host)
        if not self._offered[host] and not self._busy[host]:
            del self._offered[host], self._busy[host]

    def _limit(self, host: str) -> int:
        """A host that failed and never answered gets no more tries than it has strikes left."""
        left = STRIKES - self._strikes[host]
        return self._per_host if host in self._answered or left <= 0 or left == STRIKES else min(self._per_host, left)

    def _end_when_empty(self) -> None:
        if self._closed and not self._waiting:
            self._turns.put_nowait(None)


def host_of(url: str) -> str:
    """Host and port in lower case, the whole text where there is none."""
    try:
        return urlsplit(url.strip()).netloc.rpartition("@")[2].lower() or url
    except ValueError:
        return url
