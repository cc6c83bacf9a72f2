"""Tells a dead network from dead pages: what got no answer is held back until some server answers again.

When very many in a row, from many hosts, got no answer, it is the line that is down, not the web: the run ends, and
what was held back is tried again at the next start instead of standing in the store as empty pages.

But: counts only what was begun after the last answer, since at the end of a run the slow failures come all at once.
"""

import math
import time
from collections.abc import Callable

from src.errors import NetworkError

IN_A_ROW = 100  # fetches without an answer
HOSTS = 20  # different ones among them


class Silence:
    """`heard` for each fetch in the order in which they end; `flush` at the end."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last_answer = -math.inf
        self._held: list[Callable[[], None]] = []
        self._hosts: set[str] = set()

    def heard(self, host: str, answered: bool, began: float, settle: Callable[[], None]) -> None:
        """Settles the fetch that `began` then, now or later. Raises NetworkError when nothing answers any more."""
        if answered:
            self._last_answer = self._clock()
            self.flush()
        if answered or began < self._last_answer:
            settle()
            return
        self._held.append(settle)
        self._hosts.add(host)
        if len(self._held) >= IN_A_ROW and len(self._hosts) >= HOSTS:
            raise NetworkError(
                f"no answer to the last {len(self._held)} URLs, from {len(self._hosts)} hosts: is there a network? "
                "What was finished before is kept; start again to go on"
            )

    def flush(self) -> None:
        held, self._held = self._held, []
        self._hosts.clear()
        for settle in held:
            settle()
