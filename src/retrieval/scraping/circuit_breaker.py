"""Circuit breaker: holds back URLs without an answer, until some server answers again.

The network is taken to be down in two cases: very many fetches in a row, on many hosts, got no answer; or nothing
answered in the whole run. The run then ends. The URLs that were held back are tried again at the next start, and are
not stored as empty pages.

Limitations: only fetches that began after the last answer count, since slow failures come all at once at the end of a
run.
"""

import math
import time
from collections import deque
from collections.abc import Callable

from src.errors import NetworkError

IN_A_ROW = 100  # fetches without an answer
HOSTS = 20  # different hosts among them
FEW = 5  # fetches, and hosts, from which a run without any answer is stopped


class Silence:
    """Circuit breaker of one run: call `heard` for each fetch in the order in which fetches end, and `end` after the
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

    def heard(self, host: str, answered: bool, began: float, settle: Callable[[], None], *, tried: bool = True) -> None:
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
