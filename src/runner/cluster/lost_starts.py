"""Workers that end while they start: out of memory or killed while a model is loaded, or by a bug of a library."""

from collections import Counter
from collections.abc import Collection

from src.errors import FatalError
from src.runner.cluster.in_flight import IN_A_ROW, LOSSES
from src.runner.cluster.nodes import Nodes
from src.runner.cluster.on_node import UnusableNode


class LostStarts:
    """Counts of the workers that ended while they started, by node. A node with LOSSES in a row is left out."""

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes
        self._lost = Counter[str]()  # by node; "": workers that ended before their node was known

    def note_ready(self, node: str) -> None:
        """Note a worker that is ready: the counts of its node, and of workers without a node, begin anew."""
        del self._lost[node], self._lost[""]

    def note_lost(self, node: str, reason: str, ready: Collection[str]) -> None:
        """Note a worker that ended while it started.

        `node`: its node, or "" if it ended before that was known.
        `ready`: nodes of the workers that are ready. A node where one works is not left out: another has no room there.

        Raises InputError when the last node is left out, FatalError when workers end everywhere before their node is
        known.
        """
        self._lost[node] += 1
        message = f"workers end while they start: {reason}"
        if node and node not in ready:
            if self._lost[node] >= LOSSES:
                self._nodes.leave_out(UnusableNode(node, message))
        elif node and self._lost[node] == LOSSES:
            self._nodes.say(f"note: {message}; a smaller --num_actors may help")
        elif not ready and self._lost[""] > IN_A_ROW:
            raise FatalError(f"the Ray cluster: {message}")
