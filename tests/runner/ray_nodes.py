"""A Ray cluster of several nodes on this machine, in a process of its own: Ray leaves open files behind.

As a program it prints the cluster's address and obeys the lines `add NAME=VALUE …` (environment of the node) and
`kill`, each answered by a line.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MODULE = "tests.runner.ray_nodes"
ROOT = Path(__file__).resolve().parents[2]


class RayNodes:
    """A cluster; its first node has the head. `address`: HOST:PORT."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self.address = self._answer()

    def add(self, **environment: str) -> None:
        """Add a node of one core."""
        self._ask(" ".join(["add", *(f"{name}={value}" for name, value in environment.items())]))

    def kill(self) -> None:
        """Kill a node that has not the head."""
        self._ask("kill")

    def _ask(self, line: str) -> None:
        assert self._process.stdin
        print(line, file=self._process.stdin, flush=True)
        assert self._answer() == "done"

    def _answer(self) -> str:
        assert self._process.stdout
        for line in self._process.stdout:
            if line.startswith("nodes: "):
                return line.removeprefix("nodes: ").strip()
        raise AssertionError("the cluster has ended")


@contextmanager
def ray_nodes(number: int = 3, **environment: str) -> Iterator[RayNodes]:
    """Yield a cluster with this number of nodes, of one core each, and end it."""
    command = [sys.executable, "-m", MODULE, str(number)]
    with subprocess.Popen(
        command, cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        env=os.environ | environment,
    ) as process:  # fmt: skip
        yield RayNodes(process)


def _serve(number: int) -> None:
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    for _ in range(number - 1):
        cluster.add_node(num_cpus=1)
    print(f"nodes: {cluster.address}", flush=True)
    for line in sys.stdin:
        order, *environment = line.split()
        if order == "add":
            cluster.add_node(num_cpus=1, env_vars=dict(one.split("=", 1) for one in environment))
        else:
            cluster.remove_node(next(iter(cluster.worker_nodes)), allow_graceful=False)
        print("nodes: done", flush=True)
    cluster.shutdown()  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    _serve(int(sys.argv[1]))
