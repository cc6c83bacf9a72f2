"""Watch on the nodes of a cluster: a run whose last node is lost says so, and ends if none comes back."""

import time
from collections.abc import Callable

from src.errors import FatalError

SLOW = 10.0  # seconds without a node, after which a line says so
PATIENCE = 600.0  # seconds without a node, after which the run ends


class NodeWatch:
    """Watch on the nodes that can work. `say` prints a line, `clock` returns seconds."""

    def __init__(self, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._say, self._clock = say, clock
        self._seen, self._is_said = clock(), False

    def note(self, *, is_any: bool) -> None:
        """Note whether there is any node now. Raises FatalError when there was none for PATIENCE seconds."""
        now = self._clock()
        if is_any:
            self._seen, self._is_said = now, False
        elif now - self._seen > PATIENCE:
            message = f"no node of the Ray cluster could work for {PATIENCE / 60:g} minutes"
            raise FatalError(f"{message}; what was finished is kept, start again to go on")
        elif now - self._seen > SLOW and not self._is_said:
            self._is_said = True
            self._say(
                f"waiting for a node of the Ray cluster; the run ends after {PATIENCE / 60:g} minutes without one"
            )
