"""Tells a dead network from dead pages: what got no answer is held back until some server answers again.

When very many in a row, from many hosts, got no answer, or nothing at all answered in a whole run, it is the line that
is down, not the web: the run ends, and what was held back is tried again at the next start instead of standing in the
store as empty pages.

But: counts only what was begun after the last answer, since at the end of a run the slow failures come all at once.
"""

import math
import time
from collections import deque
from collections.abc import Callable

from src.errors import NetworkError

IN_A_ROW = 100  # fetches without an answer
HOSTS = 20  # different ones among them
FEW = 5  # fetches, and hosts, of a run in which nothing answered at all


class Silence:
    """`heard` for each fetch in the order in which they end; `end` after the last.

    `hosts` is how many must be silent: 1 where all pages come from one archive. Without `patience` it only listens:
    when what failed before is tried again, silence is what to expect.
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
        """Settles the fetch that `began` then, now or later; `tried` is False where its host was given up before.

        Raises NetworkError when nothing answers any more.
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
        """Settle what is held. Raises NetworkError when nothing answered at all.

        `answered_before`: a server answered in an earlier start of this run, so that what is left may well be dead
        hosts alone.
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
