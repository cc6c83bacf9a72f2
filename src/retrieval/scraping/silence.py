"""Tells a dead network from dead pages: rows without any answer are held back until some server answers again.

When very many in a row, from many hosts, got no answer, it is the line that is down, not the web: the run ends, and
what was held back is tried again at the next start instead of standing in the store as empty pages.
"""

from collections.abc import Callable

from src.errors import NetworkError

IN_A_ROW = 100  # fetches without an answer
HOSTS = 20  # different ones among them


class Silence:
    """`heard` for each fetch in the order in which they end; `flush` at the end."""

    def __init__(self) -> None:
        self._held: list[Callable[[], None]] = []
        self._hosts: set[str] = set()

    def heard(self, host: str, answered: bool, settle: Callable[[], None]) -> None:
        """Settles the fetch now or later. Raises NetworkError when nothing answers any more."""
        if answered:
            self.flush()
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
