"""Queue of URLs to fetch, and a circuit breaker for outages of the network.

Queue: a few fetches of each host may run at once (its slots), and hosts take turns. A host that does not answer
occupies only its own slots. After several failures the host's other URLs are not tried, since each would cost one
deadline.

Circuit breaker: the network is considered down if very many fetches in a row, on many hosts, got no answer, or if no
server answered in the whole run. The run then ends. URLs without an answer are not stored as empty pages until some
server answers; they are tried again when the run is started again.

Limitations: an outage is noticed late, because only failures of fetches that began after the last answer are counted.
(Failures of slow hosts pile up at the end of a run, and are no outage.)
"""

import asyncio
import math
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from src.errors import NetworkError

WINDOW = 5000  # URLs in the queue: more take more memory, fewer let slow hosts hold up the others
STRIKES = 3  # URLs of a host in a row that timed out or got no answer, after which the rest are not tried
MORE_STRIKES = 10  # as STRIKES, for a host that answered before


@dataclass(frozen=True, slots=True)
class Place:
    """A row of a claim's URL file: the claim_id and the index of the row (from 0)."""

    claim_id: int
    row: int


@dataclass(eq=False, slots=True)
class Task:
    """A URL to fetch.

    `host`: server that the URL is fetched from.
    `places`: all rows with this URL, of all claims.
    """

    url: str
    host: str
    places: list[Place] = field(default_factory=list)


class Frontier:
    """Queue of URLs to fetch: `put` adds a task, `take` returns the next one, `finished` frees the host's slot.

    `per_host`: fetches of one host that may run at once.
    `window`: maximum number of URLs in the queue; `put` waits while it is full.
    `give_up`: do not try more URLs of a host that failed several times; False if all pages come from one archive.
    """

    def __init__(self, per_host: int, window: int = WINDOW, *, give_up: bool = True) -> None:
        self._per_host = per_host
        self._give_up = give_up
        self._room = asyncio.Semaphore(window)
        self._waiting: dict[str, deque[Task]] = {}
        self._turns: asyncio.Queue[str | None] = asyncio.Queue()  # each host, once per URL that may be taken
        self._offered: Counter[str] = Counter()  # how often each host is in _turns
        self._busy: Counter[str] = Counter()
        self._strikes: Counter[str] = Counter()
        self._answered: set[str] = set()
        self._closed = False

    async def put(self, task: Task) -> None:
        """Add a task; wait while the queue is full."""
        await self._room.acquire()
        self._waiting.setdefault(task.host, deque()).append(task)
        self._offer(task.host)

    def close(self) -> None:
        """Close the queue: no more tasks will be put."""
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
        """Free the slot of the task's host after a fetch.

        `answered`: the host answered in time, with any status; else this counts as one of the host's failures.
        """
        if answered:
            self._answered.add(task.host)
            self._strikes.pop(task.host, None)
        else:
            self._strikes[task.host] += 1
        self._busy[task.host] -= 1
        self._offer(task.host)

    def is_given_up(self, host: str) -> bool:
        """Return True if the host failed so often that its other URLs are not tried."""
        return self._give_up and self._left(host) <= 0

    def _offer(self, host: str) -> None:
        """Give the host a turn for each waiting URL that has a free slot."""
        may = min(len(self._waiting.get(host, ())), self._limit(host) - self._busy[host])
        while self._offered[host] < may:
            self._offered[host] += 1
            self._turns.put_nowait(host)
        if not self._offered[host] and not self._busy[host]:
            del self._offered[host], self._busy[host]

    def _limit(self, host: str) -> int:
        """Return how many fetches of a host may run at once: at most the failures left before it is given up."""
        left = self._left(host)
        failing = self._give_up and host in self._strikes and left > 0
        return min(self._per_host, left) if failing else self._per_host

    def _left(self, host: str) -> int:
        """Return how many more failures in a row the host may have before it is given up."""
        return (MORE_STRIKES if host in self._answered else STRIKES) - self._strikes.get(host, 0)

    def _end_when_empty(self) -> None:
        if self._closed and not self._waiting:
            self._turns.put_nowait(None)


def host_of(url: str) -> str:
    """Return host and port of a URL in lower case; "" if it has none."""
    try:
        return urlsplit(url.strip()).netloc.rpartition("@")[2].lower()
    except ValueError:
        return ""


IN_A_ROW = 100  # fetches without an answer
HOSTS = 20  # different hosts among them
FEW = 5  # fetches and hosts needed to stop a run without any answer


class CircuitBreaker:
    """Circuit breaker of one run: call `record` when a fetch ends, and `end` after the last fetch.

    `hosts`: number of hosts without an answer that are needed to stop the run; 1 if all pages come from one archive.
    `may_stop`: stop the run if the network seems to be down. False for another attempt at URLs that failed before,
        where missing answers are expected.
    `clock`: monotonic clock, in seconds.
    """

    def __init__(
        self, hosts: int = HOSTS, *, may_stop: bool = True, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._enough = hosts
        self._may_stop = may_stop
        self._clock = clock
        self._last_answer = -math.inf
        self._tried = 0
        self._hosts: set[str] = set()
        self._held: deque[Callable[[], None]] = deque()

    def record(
        self, host: str, answered: bool, began: float, settle: Callable[[], None], *, tried: bool = True
    ) -> None:
        """Record the end of a fetch, and store its result now or after the next answer of any server.

        The result is stored now if some server has answered since the fetch began.

        `answered`: this fetch got an answer.
        `began`: start of the fetch, in seconds of the clock.
        `settle`: function that stores the result.
        `tried`: False if the URL was not fetched because its host was given up.

        Raises NetworkError when too many fetches in a row got no answer.
        """
        if answered:
            self._last_answer = self._clock()
            self._flush()
        if answered or began < self._last_answer or not (tried or math.isinf(self._last_answer)):
            settle()
            return
        self._held.append(settle)
        self._tried += tried
        self._hosts.add(host)
        if self._tried >= IN_A_ROW and len(self._hosts) >= self._enough:
            self._raise()

    def end(self, *, answered_before: bool = False) -> None:
        """Store all results that are still held back. Raises NetworkError when no server answered in the whole run.

        `answered_before`: a server answered in an earlier start of this run, so the network works and hosts without an
        answer are dead.
        """
        hosts = min(FEW, self._enough)
        nothing_answered = not answered_before and math.isinf(self._last_answer)
        if nothing_answered and len(self._held) >= FEW and len(self._hosts) >= hosts:
            self._raise()
        self._flush()

    def _raise(self) -> None:
        if self._may_stop:
            raise NetworkError(
                f"no answer for the last {len(self._held)} URLs, on {len(self._hosts)} hosts: is there a network? "
                "What was finished before is kept; start again to go on, with --retry_failed where the network is up: "
                "then hosts without an answer are noted as such"
            )

    def _flush(self) -> None:
        self._tried = 0
        self._hosts.clear()
        while self._held:
            self._held.popleft()()
