"""Workers that end while they start: out of memory or killed while a model is loaded, or by a bug of a library."""

from collections import Counter
from collections.abc import Sequence

from src.errors import FatalError
from src.runner.cluster.in_flight import IN_A_ROW, LOSSES
from src.runner.cluster.nodes import Nodes
from src.runner.cluster.on_node import UnusableNode
from src.runner.console import how_many


class LostStarts:
    """Counts of the workers that ended while they started, by node. A node with LOSSES in a row is left out.

    `most` (attribute): number of workers that are wanted; it falls when no more of them fit.
    """

    def __init__(self, nodes: Nodes, most: int) -> None:
        self.most = most
        self._nodes = nodes
        self._lost = Counter[str]()  # by node; "": workers that ended before their node was known

    def note_ready(self, node: str) -> None:
        """Note a worker that is ready: the counts of its node, and of workers without a node, begin anew."""
        del self._lost[node], self._lost[""]

    def note_lost(self, node: str, reason: str, ready: Sequence[str]) -> None:
        """Note a worker that ended while it started.

        `node`: its node, or "" if it ended before that was known.
        `ready`: the node of each worker that is ready. A node where one works is not left out, but no more workers
            than these are wanted: there is no room for another.

        Raises InputError when the last node is left out, FatalError when workers end everywhere before their node is
        known.
        """
        self._lost[node] += 1
        message = f"workers end while they start: {reason}"
        if node and node not in ready:
            if self._lost[node] >= LOSSES:
                self._nodes.leave_out(UnusableNode(node, message))
        elif node and self._lost[node] == LOSSES:
            self.most = len(ready)
            self._nodes.say(f"note: {how_many(self.most, 'worker')} at most from now on: further {message}")
        elif not ready and self._lost[""] > IN_A_ROW:
            raise FatalError(f"the Ray cluster: {message}")
