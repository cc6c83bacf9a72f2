"""Nodes of a cluster, with stand-ins for Ray: what is compared, when, and which nodes are left out."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pytest
from ray.exceptions import RayTaskError

from src.errors import FatalError, InputError
from src.runner.cluster import nodes as module
from src.runner.cluster.nodes import Nodes
from src.runner.cluster.on_node import DriverFiles, UnusableNode

FILES = DriverFiles("", {}, "")
Result = UnusableNode | RayTaskError | None


class Cluster:
    """A stand-in for Ray: nodes of one core, and the result of the comparison on each; a missing one is not there yet.

    `compared`: nodes where the files were compared, in order.
    """

    def __init__(self, results: Mapping[str, Result], cores: int = 1) -> None:
        self.results, self.cores = dict(results), cores
        self.names = list(results)
        self.compared: list[str] = []

    def nodes(self) -> list[dict[str, Any]]:
        return [
            {"NodeID": name, "Alive": True, "NodeManagerAddress": f"at {name}", "Resources": {"CPU": self.cores}}
            for name in self.names
        ]

    def put(self, value: object) -> object:
        return value

    def wait(self, calls: list[str], *, num_returns: int, timeout: float | None = None) -> tuple[list[str], list[str]]:
        return [call for call in calls if call in self.results], []

    def get(self, call: str) -> Result:
        result = self.results[call]
        if isinstance(result, RayTaskError):
            raise result
        return result

    def check_on(self, name: str) -> Any:
        class Call:
            @staticmethod
            def remote(files: DriverFiles) -> str:
                self.compared.append(name)
                return name

        return Call


@pytest.fixture
def open_nodes(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Nodes]:
    def opened(cluster: Cluster, cpus: int = 1) -> Nodes:
        monkeypatch.setattr(module, "ray", cluster)
        monkeypatch.setattr(module, "files_check_on", cluster.check_on)
        monkeypatch.setattr(module, "LOOK", 0)
        return Nodes(cpus, 0, FILES, quiet=False)

    return opened


def not_loaded() -> RayTaskError:
    """Return the error of a node without the project."""
    trace = "System error: No module named 'src'\nTraceback:\nModuleNotFoundError: No module named 'src'"
    return RayTaskError("check", trace, RuntimeError())  # type: ignore[no-untyped-call]


def avoided(nodes: Nodes) -> list[str]:
    strategy = nodes.needs()["scheduling_strategy"]
    return [] if strategy == "SPREAD" else sorted(strategy.hard[0].operator.values)


def test_a_node_without_the_project_is_left_out(
    open_nodes: Callable[..., Nodes], capsys: pytest.CaptureFixture[str]
) -> None:
    nodes = open_nodes(Cluster({"a": None, "b": not_loaded()}))
    reason = "the project does not run there: ModuleNotFoundError: No module named 'src'"
    assert capsys.readouterr().out == f"note: node at b of the Ray cluster is left out: {reason}\n"
    assert (nodes.room(), avoided(nodes)) == (1, ["b"])
    assert nodes.summary() == "a Ray cluster of 1 node, 1 core"


def test_a_cluster_without_the_project_is_one_line(open_nodes: Callable[..., Nodes]) -> None:
    with pytest.raises(
        InputError, match="node at a of the Ray cluster: the project does not run there: ModuleNotFound"
    ):
        open_nodes(Cluster({"a": not_loaded()}))


def test_a_node_that_joins_counts_when_its_files_were_compared(
    open_nodes: Callable[..., Nodes], capsys: pytest.CaptureFixture[str]
) -> None:
    cluster = Cluster({"a": None})
    nodes = open_nodes(cluster)
    assert (nodes.room(), avoided(nodes)) == (1, [])
    cluster.names += ["b", "c"]
    assert (nodes.room(), avoided(nodes), nodes.is_comparing()) == (1, [], True)
    cluster.results |= {"b": None, "c": UnusableNode("c", "it has another version of the project")}
    assert (nodes.room(), avoided(nodes), nodes.is_comparing()) == (2, ["c"], False)
    assert "node at c of the Ray cluster is left out: it has another version" in capsys.readouterr().out
    cluster.names.append("d")
    assert (nodes.room(), avoided(nodes)) == (2, ["c"])
    assert cluster.compared == ["a", "b", "c", "d"]
    assert nodes.files().nodes == {"a", "b"}  # type: ignore[attr-defined] # where a worker need not compare again


def test_a_long_comparison_at_the_start_is_one_line(
    open_nodes: Callable[..., Nodes], monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[str] = []

    def waiting(for_what: str, *, quiet: bool) -> AbstractContextManager[None]:
        waits.append(for_what)
        return nullcontext()

    monkeypatch.setattr(module, "waiting", waiting)
    open_nodes(Cluster({"a": None, "b": None}))
    assert waits == ["the comparison of files on 2 nodes"]


def test_the_last_node_may_be_lost_and_come_back(open_nodes: Callable[..., Nodes]) -> None:
    cluster = Cluster({"a": None})
    nodes = open_nodes(cluster)
    cluster.names.remove("a")
    assert nodes.room() == 0
    cluster.names += ["b"]
    cluster.results["b"] = UnusableNode("b", "differs")
    assert nodes.room() == 0
    cluster.names.append("a")
    assert nodes.room() == 1


def test_a_task_of_a_node_that_joined_last_and_is_unusable_ends_no_run(open_nodes: Callable[..., Nodes]) -> None:
    cluster = Cluster({"a": None})
    nodes = open_nodes(cluster)
    cluster.names = ["b"]
    assert nodes.room() == 0
    nodes.leave_out(UnusableNode("b", "differs"))  # as a task says there, before the comparison has ended
    assert (nodes.room(), avoided(nodes)) == (0, ["b"])
    cluster.names.append("a")
    assert nodes.room() == 1
    with pytest.raises(InputError, match="node at a of the Ray cluster: no such model"):
        nodes.leave_out(UnusableNode("a", "no such model"))


def test_a_long_while_without_nodes_ends_the_run(
    open_nodes: Callable[..., Nodes], monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = Cluster({"a": None})
    nodes = open_nodes(cluster)
    monkeypatch.setattr("src.runner.cluster.node_watch.PATIENCE", -1)
    assert nodes.room() == 1
    cluster.names.remove("a")
    with pytest.raises(FatalError, match="no node of the Ray cluster could work"):
        nodes.room()


def test_a_node_that_is_lost_during_its_comparison_is_not_left_out(
    open_nodes: Callable[..., Nodes], capsys: pytest.CaptureFixture[str]
) -> None:
    cluster = Cluster({"a": None})
    nodes = open_nodes(cluster)
    cluster.names.append("b")
    assert (nodes.room(), nodes.is_comparing()) == (1, True)
    cluster.names.remove("b")
    cluster.results["b"] = not_loaded()
    assert (nodes.room(), nodes.is_comparing(), avoided(nodes)) == (1, False, [])
    assert capsys.readouterr().out == ""


def test_a_last_node_that_is_lost_is_not_left_out(open_nodes: Callable[..., Nodes]) -> None:
    cluster = Cluster({"a": None})
    nodes = open_nodes(cluster)
    cluster.names.remove("a")
    nodes.leave_out(UnusableNode("a", "workers end while they start"))
    assert (nodes.room(), avoided(nodes)) == (0, [])
