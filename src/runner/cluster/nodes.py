"""Nodes of the cluster that can work for a job."""

import time
from collections import Counter
from collections.abc import Mapping
from typing import Any

from src.errors import InputError
from src.runner.cluster.calls import LOOK, answer_of
from src.runner.cluster.on_node import DriverFiles, Unfit, files_check_on
from src.runner.cluster.ray_api import NodeLabelSchedulingStrategy, NotIn, ray
from src.runner.console import how_many, say

NODE = "ray.io/node-id"  # label that Ray gives each node


def _nodes() -> list[dict[str, Any]]:
    """Return all nodes that the cluster knows, as Ray describes them."""
    return list(ray.nodes())  # type: ignore[no-untyped-call]


class Nodes:
    """The nodes that can work: with room for a worker, and with the driver's files.

    `cpus`, `gpus`: what one worker needs.
    """

    def __init__(self, cpus: float, gpus: float, quiet: bool) -> None:
        self.cpus, self.gpus = cpus, gpus
        self._quiet = quiet
        self._unfit: set[str] = set()
        self._looked, self._room = 0.0, 0

    def check(self, files: DriverFiles) -> None:
        """Compare the files of each node with the driver's. Raises InputError when no node is left."""
        fitting = [str(node["NodeID"]) for node in self._fitting()]
        if not fitting:
            needs = f"--actor_cpus {self.cpus:g}" + (f" --actor_gpus {self.gpus:g}" if self.gpus else "")
            raise InputError(f"no node of the Ray cluster has room for a worker with {needs}")
        for answer in [answer_of(call) for call in [files_check_on(node).remote(files) for node in fitting]]:
            if isinstance(answer, Unfit):
                self.leave_out(answer)

    def leave_out(self, unfit: Unfit) -> None:
        """Use a node no more, with a line for the user. Raises InputError when no node is left."""
        if unfit.node in self._unfit:
            return
        self._unfit.add(unfit.node)
        self._looked = 0.0
        name = next((node["NodeManagerAddress"] for node in _nodes() if node["NodeID"] == unfit.node), unfit.node)
        if not self._fitting():
            raise InputError(f"node {name} of the Ray cluster: {unfit.reason}")
        self.say(f"note: node {name} of the Ray cluster is left out: {unfit.reason}")

    def say(self, text: str) -> None:
        """Print one line, unless the step is quiet."""
        say(text, quiet=self._quiet)

    def room(self) -> int:
        """Return the number of workers for which the cluster has room; looked up at most once a second."""
        if time.monotonic() - self._looked > LOOK:
            self._room, self._looked = sum(map(self._workers, self._fitting())), time.monotonic()
        return self._room

    def needs(self) -> dict[str, Any]:
        """Return the options of a worker: its cores and GPUs, and the nodes to avoid."""
        needs = {"num_cpus": self.cpus, "num_gpus": self.gpus}
        if not self._unfit:
            return {**needs, "scheduling_strategy": "SPREAD"}
        elsewhere = NotIn(*self._unfit)  # type: ignore[no-untyped-call]
        return {**needs, "scheduling_strategy": NodeLabelSchedulingStrategy(hard={NODE: elsewhere})}

    def summary(self) -> str:
        """Return the size of the cluster as text: `a Ray cluster of 2 nodes, 64 cores`."""
        has: Counter[str] = Counter()
        for node in self._fitting():
            has.update({name: node["Resources"].get(name, 0) for name in ("CPU", "GPU")})
        gpus = f", {has['GPU']:g} GPUs" if has["GPU"] else ""
        return f"a Ray cluster of {how_many(len(self._fitting()), 'node')}, {has['CPU']:g} cores{gpus}"

    def _fitting(self) -> list[dict[str, Any]]:
        alive = [node for node in _nodes() if node["Alive"] and node["NodeID"] not in self._unfit]
        return [node for node in alive if self._workers(node)]

    def _workers(self, node: Mapping[str, Any]) -> int:
        has = node["Resources"]
        by_cpus = int(has.get("CPU", 0) / self.cpus)
        return min(by_cpus, int(has.get("GPU", 0) / self.gpus)) if self.gpus else by_cpus
