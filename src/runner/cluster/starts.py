"""Workers that end while they start: a node where that happens again and again is not waited for.

Such a node may have too little memory for the models, or a broken driver of its GPU. Where some workers are ready,
there is no room for more.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Protocol

from src.errors import FatalError
from src.runner.cluster.in_flight import LOSSES
from src.runner.cluster.nodes import Nodes
from src.runner.cluster.on_node import UnusableNode
from src.runner.console import how_many


class Started(Protocol):
    """A worker. `node`: where it is; "" while that is not known."""

    node: str

    @property
    def is_ready(self) -> bool: ...


class Starts:
    """Lost starts of workers, counted for each node. `most` (attribute): number of workers that are wanted."""

    def __init__(self, nodes: Nodes, most: int) -> None:
        self.most = most
        self._nodes = nodes
        self._lost: Counter[str] = Counter()

    def succeeded(self, node: str) -> None:
        """Note that a worker is ready on a node."""
        del self._lost[node]

    def lost(self, node: str, reason: str, others: Sequence[Started]) -> None:
        """Note that a worker has ended while it started on a node; `others` are the workers that are left.

        After LOSSES lost starts in a row for each worker that starts there, no more workers are wanted if some are
        ready there; otherwise the node is left out. If the node is not known (""), all nodes count as one. Raises
        FatalError when no worker can start on any node.
        """
        self._lost[node] += 1
        there = [worker for worker in others if worker.node == node] if node else others
        if self._lost[node] < LOSSES * (1 + sum(not worker.is_ready for worker in there)):
            return
        del self._lost[node]
        end = f"workers of the Ray cluster end while they start: {reason}"
        if any(worker.is_ready for worker in there):
            self.most = len(others)
            self._nodes.say(f"note: {how_many(self.most, 'worker')} at most from now on: further {end}")
        elif node:
            self._nodes.leave_out(UnusableNode(node, end))
        else:
            raise FatalError(end)
