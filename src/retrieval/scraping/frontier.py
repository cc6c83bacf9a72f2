"""Queue of URLs to fetch, and the circuit breaker that holds back URLs without an answer.

Queue: a few URLs at once from one host, hosts in turn, and silent hosts given up. A host that hangs occupies only its
own few slots, and the other hosts go on. When a host that never answered has failed several times, the rest of its URLs
are not tried. A run then takes one deadline longer for it, not one for each URL.

Circuit breaker: the network is taken to be down in two cases: very many fetches in a row, on many hosts, got no answer;
or nothing answered in the whole run. The run then ends. The URLs that were held back are tried again at the next start,
and are not stored as empty pages.

Limitations: only fetches that began after the last answer count, since slow failures come all at once at the end of a
run.
"""

import asyncio
import math
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from src.errors import NetworkError

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


IN_A_ROW = 100  # fetches without an answer
HOSTS = 20  # different hosts among them
FEW = 5  # fetches, and hosts, from which a run without any answer is stopped


class CircuitBreaker:
    """Circuit breaker of one run: call `record` for each fetch in the order in which fetches end, and `end` after the
    last.

    `hosts` is how many hosts must be silent: 1 where all pages come from one archive. Without `patience` it never ends
    the run: when failed URLs are tried again, silence is expected.
    """

    def __init__(
        self, hosts: int = HOSTS, *, patience: bool = True, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._enough = hosts
        self._patience = patience
        self._clock = clock
        self._last_answer = -math.inf
        self._tried = 0
        self._hosts: set[str] = set()
        self._held: deque[Callable[[], None]] = deque()

    def record(
        self, host: str, answered: bool, began: float, settle: Callable[[], None], *, tried: bool = True
    ) -> None:
        """Settle the fetch that started at `began` (monotonic seconds), now or later.

        `settle` records the result. `tried` is False where the host was given up before. Raises NetworkError when too
        many fetches in a row got no answer.
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
        """Settle all held fetches. Raises NetworkError when nothing answered in the whole run.

        `answered_before`: a server answered in an earlier start of this run, so the rest may be dead hosts.
        """
        hosts = min(FEW, self._enough)
        nothing_answered = not answered_before and math.isinf(self._last_answer)
        if nothing_answered and len(self._held) >= FEW and len(self._hosts) >= hosts:
            self._raise()
        self._flush()

    def _raise(self) -> None:
        if self._patience:
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
