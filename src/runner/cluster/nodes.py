"""Nodes of the cluster that can work for a job."""

import time
from collections import Counter
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

from src.errors import InputError
from src.runner.cluster.calls import LOOK, cause_of
from src.runner.cluster.node_watch import NodeWatch
from src.runner.cluster.on_node import DriverFiles, UnusableNode, files_check_on
from src.runner.cluster.ray_api import NodeLabelSchedulingStrategy, NotIn, RayError, ray
from src.runner.cluster.waiting import waiting
from src.runner.console import how_many, say

NODE = "ray.io/node-id"  # label that Ray gives each node


def _nodes() -> list[dict[str, Any]]:
    """Return all nodes that the cluster knows, as Ray describes them."""
    return list(ray.nodes())  # type: ignore[no-untyped-call]


class Nodes:
    """The nodes that can work: with room for a worker, and with the driver's files.

    `cpus`, `gpus`: what one worker needs. `files`: files of the driver, which are compared once on each node.

    The constructor waits for the comparison on the nodes that are there. Nodes that join later are compared before they
    count. Raises InputError when no node can work.
    """

    def __init__(self, cpus: float, gpus: float, files: DriverFiles, *, quiet: bool) -> None:
        self.cpus, self.gpus = cpus, gpus
        self._quiet = quiet
        self._unusable: set[str] = set()
        self._checks: dict[ray.ObjectRef[Any], str] = {}  # comparisons under way, and their nodes
        self._looked, self._room = 0.0, 0
        self._watch = NodeWatch(self.say)
        self._set_files(files)
        self._check_all()

    def files(self) -> "ray.ObjectRef[DriverFiles]":
        """Return the driver's files, with the nodes on which they were compared."""
        return self._shared

    def leave_out(self, node: UnusableNode) -> None:
        """Use a node no more, with a line for the user, unless it was lost meanwhile.

        Raises InputError when it was the last one that counted, or when none ever did. A last one that has joined may
        be followed by another.
        """
        if node.node not in {one["NodeID"] for one in self._with_room()}:
            return
        self._unusable.add(node.node)
        self._looked = 0.0
        has_counted = node.node in self._files.nodes or not self._files.nodes
        if has_counted and not self._usable():
            raise InputError(f"node {self._address(node)} of the Ray cluster: {node.reason}")
        self.say(f"note: node {self._address(node)} of the Ray cluster is left out: {node.reason}")

    def say(self, text: str) -> None:
        """Print one line, unless the step is quiet."""
        say(text, quiet=self._quiet)

    def waiting(self, for_what: str) -> AbstractContextManager[None]:
        """Return a context that prints one line if it lasts long, unless the step is quiet."""
        return waiting(for_what, quiet=self._quiet)

    def room(self) -> int:
        """Return the number of workers for which the cluster has room; looked up at most once a second.

        Raises FatalError when no node could work for a long time.
        """
        if time.monotonic() - self._looked > LOOK:
            self._check_new()
            self._room, self._looked = sum(map(self._workers, self._usable())), time.monotonic()
            self._watch.note(is_any=self._room > 0)
        return self._room

    def is_comparing(self) -> bool:
        """Return whether files are compared on a node now, which may lack the project."""
        return bool(self._checks)

    def needs(self) -> dict[str, Any]:
        """Return the options of a worker: its cores and GPUs, and the nodes to avoid.

        Nodes under comparison are not avoided: a worker compares the files itself there, and one that is queued would
        avoid the node for ever.
        """
        needs = {"num_cpus": self.cpus, "num_gpus": self.gpus}
        if not self._unusable:
            return {**needs, "scheduling_strategy": "SPREAD"}
        elsewhere = NotIn(*sorted(self._unusable))  # type: ignore[no-untyped-call]
        return {**needs, "scheduling_strategy": NodeLabelSchedulingStrategy(hard={NODE: elsewhere})}

    def summary(self) -> str:
        """Return the size of the cluster as text: `a Ray cluster of 2 nodes, 64 cores`."""
        has: Counter[str] = Counter()
        for node in self._usable():
            has.update({name: node["Resources"].get(name, 0) for name in ("CPU", "GPU")})
        size = [how_many(len(self._usable()), "node"), how_many(int(has["CPU"]), "core")]
        size += [how_many(int(has["GPU"]), "GPU")] if has["GPU"] else []
        return f"a Ray cluster of {', '.join(size)}"

    def _set_files(self, files: DriverFiles) -> None:
        self._files, self._shared = files, ray.put(files)

    def _check_all(self) -> None:
        self._begin_checks()
        if not self._checks:
            needs = f"--actor_cpus {self.cpus:g}" + (f" --actor_gpus {self.gpus:g}" if self.gpus else "")
            raise InputError(f"no node of the Ray cluster has room for a worker with {needs}")
        with self.waiting(f"the comparison of files on {how_many(len(self._checks), 'node')}"):
            ray.wait(list(self._checks), num_returns=len(self._checks))
        for node in self._ended_checks():
            self.leave_out(node)

    def _check_new(self) -> None:
        """Begin the comparison on nodes that have joined. Note its results; a last node may still come back."""
        self._begin_checks()
        for node in self._ended_checks():
            self.leave_out(node)

    def _begin_checks(self) -> None:
        known = {*self._files.nodes, *self._checks.values()}
        for node in self._with_room():
            if (name := str(node["NodeID"])) not in known:
                self._checks[files_check_on(name).remote(self._files)] = name

    def _ended_checks(self) -> list[UnusableNode]:
        """Note the nodes where the files were found equal, and return those that cannot work."""
        if not self._checks:
            return []
        ended, _ = ray.wait(list(self._checks), num_returns=len(self._checks), timeout=0)
        results = {name: _result(call, name) for call in ended if (name := self._checks.pop(call))}
        equal = {name for name, result in results.items() if result is None}
        if equal:
            self._set_files(replace(self._files, nodes=self._files.nodes | equal))
        return [result for result in results.values() if result is not None]

    def _address(self, node: UnusableNode) -> str:
        return next((str(one["NodeManagerAddress"]) for one in _nodes() if one["NodeID"] == node.node), node.node)

    def _with_room(self) -> list[dict[str, Any]]:
        alive = [node for node in _nodes() if node["Alive"] and node["NodeID"] not in self._unusable]
        return [node for node in alive if self._workers(node)]

    def _usable(self) -> list[dict[str, Any]]:
        """Return the nodes with room for a worker whose files were compared."""
        return [node for node in self._with_room() if node["NodeID"] in self._files.nodes]

    def _workers(self, node: Mapping[str, Any]) -> int:
        has = node["Resources"]
        by_cpus = int(has.get("CPU", 0) / self.cpus)
        return min(by_cpus, int(has.get("GPU", 0) / self.gpus)) if self.gpus else by_cpus


def _result(call: "ray.ObjectRef[Any]", node: str) -> UnusableNode | None:
    """Return the result of a comparison; a node that cannot even load the project cannot work."""
    try:
        result: UnusableNode | None = ray.get(call)
    except RayError as error:
        return UnusableNode(node, f"the project does not run there: {cause_of(error)}")
    return result
