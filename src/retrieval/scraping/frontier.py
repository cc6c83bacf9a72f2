"""Which URL is fetched next: never more than a few at once from one host, hosts in turn, silent hosts given up.

A host that hangs holds its own few places only, so that the others go on; once it failed to answer several times and
never did, the rest of its URLs are not tried, and a run takes one deadline longer for it, not one for each URL.
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

    `window` is how many URLs may wait: `put` waits while there are more. Without `give_up`, as for an archive that
    all pages come from, a host may fail as often as it likes.
    """

    def __init__(self, per_host: int, window: int = WINDOW, *, give_up: bool = True) -> None:
        self._per_host = per_host
        self._give_up = give_up
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
        """The fetch ended; `answered`: the host did its part in time, whatever it said."""
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
        """A host that fails gets no more tries at once than it has strikes left."""
        left = self._left(host)
        failing = self._give_up and host in self._strikes and left > 0
        return min(self._per_host, left) if failing else self._per_host

    def _left(self, host: str) -> int:
        return (MORE_STRIKES if host in self._answered else STRIKES) - self._strikes.get(host, 0)

    def _end_when_empty(self) -> None:
        if self._closed and not self._waiting:
            self._turns.put_nowait(None)


def host_of(url: str) -> str:
    """Host and port in lower case, nothing where there is none."""
    try:
        return urlsplit(url.strip()).netloc.rpartition("@")[2].lower()
    except ValueError:
        return ""
