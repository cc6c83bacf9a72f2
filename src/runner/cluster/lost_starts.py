"""Workers that end while they start: out of memory or killed while a model is loaded, or by a bug of a library."""

import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from src.errors import FatalError
from src.runner.cluster.in_flight import IN_A_ROW, LOSSES
from src.runner.cluster.nodes import Nodes
from src.runner.cluster.on_node import UnusableNode
from src.runner.console import how_many


@dataclass(eq=False)
class StartedActor:
    """An actor that was started. `node`: its id in Ray, "" before it is known. `begun`: when, in seconds."""

    actor: Any
    node: str = ""
    begun: float = field(default_factory=time.monotonic)


class LostStarts:
    """Counts of the workers that ended while they started, by node. A node with LOSSES in a row is left out.

    Workers that were under way together count once: a lost node, or a full memory, ends many.
    `most` (attribute): number of workers that are wanted; it falls when no more of them fit.
    """

    def __init__(self, nodes: Nodes, most: int) -> None:
        self.most = most
        self._nodes = nodes
        self._lost = Counter[str]()  # by node; "": workers that ended before their node was known
        self._last = defaultdict[str, float](float)  # when a worker ended that was counted, by node

    def note_ready(self, node: str) -> None:
        """Note a worker that is ready: the counts of its node, and of workers without a node, begin anew."""
        del self._lost[node], self._lost[""]

    def note_lost(self, worker: StartedActor, reason: str, ready: Sequence[str]) -> None:
        """Note a worker that ended while it started.

        `ready`: the node of each worker that is ready. A node where one works is not left out, but no more workers
            than these are wanted: there is no room for another.

        Raises InputError when the last node is left out, FatalError when workers end everywhere before their node is
        known.
        """
        node = worker.node
        if worker.begun <= self._last[node]:
            return
        self._lost[node], self._last[node] = self._lost[node] + 1, time.monotonic()
        message = f"workers end while they start: {reason}"
        if node and node not in ready:
            if self._lost[node] >= LOSSES:
                self._nodes.leave_out(UnusableNode(node, message))
        elif node and self._lost[node] == LOSSES:
            self.most = len(ready)
            self._nodes.say(f"note: {how_many(self.most, 'worker')} at most from now on: further {message}")
        elif not ready and self._lost[""] > IN_A_ROW:
            raise FatalError(f"the Ray cluster: {message}")
