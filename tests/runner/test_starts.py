"""Lost starts of workers: when a node is left out, when no more workers are wanted, and when the run ends."""

from dataclasses import dataclass

import pytest

from src.errors import FatalError
from src.runner.cluster.in_flight import LOSSES
from src.runner.cluster.on_node import UnusableNode
from src.runner.cluster.starts import Starts


@dataclass
class Worker:
    node: str
    is_ready: bool = True


class Nodes:
    """A stand-in for the nodes: what was said, and which nodes were left out."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.left_out: list[UnusableNode] = []

    def say(self, text: str) -> None:
        self.said.append(text)

    def leave_out(self, node: UnusableNode) -> None:
        self.left_out.append(node)


@pytest.fixture
def nodes() -> Nodes:
    return Nodes()


@pytest.fixture
def starts(nodes: Nodes) -> Starts:
    return Starts(nodes, 9)  # type: ignore[arg-type]


def lose(starts: Starts, node: str, times: int, *others: Worker) -> None:
    for _ in range(times):
        starts.lost(node, "killed", others)


def test_a_node_where_no_worker_starts_is_left_out(starts: Starts, nodes: Nodes) -> None:
    lose(starts, "b", LOSSES - 1, Worker("a"))
    assert not nodes.left_out
    lose(starts, "b", 1, Worker("a"))
    assert nodes.left_out == [UnusableNode("b", "workers of the Ray cluster end while they start: killed")]
    assert starts.most == 9


def test_a_start_that_succeeds_begins_the_count_anew(starts: Starts, nodes: Nodes) -> None:
    lose(starts, "b", LOSSES - 1)
    starts.succeeded("b")
    lose(starts, "b", LOSSES - 1)
    assert not nodes.left_out


def test_workers_that_start_beside_it_have_lost_starts_of_their_own(starts: Starts, nodes: Nodes) -> None:
    beside = [Worker("b", is_ready=False)] * 2
    lose(starts, "b", 3 * LOSSES - 1, *beside)
    assert not nodes.left_out
    lose(starts, "b", 1, *beside)
    assert len(nodes.left_out) == 1


@pytest.mark.parametrize("node", ["a", ""])
def test_beside_workers_that_are_ready_no_more_are_wanted(starts: Starts, nodes: Nodes, node: str) -> None:
    lose(starts, node, LOSSES, Worker("a"), Worker("a"), Worker("b"))
    assert (starts.most, nodes.left_out) == (3, [])
    assert nodes.said == [
        "note: 3 workers at most from now on: further workers of the Ray cluster end while they start: killed"
    ]


def test_workers_that_end_before_their_node_is_known_end_the_run(starts: Starts) -> None:
    with pytest.raises(FatalError, match="end while they start: killed"):
        lose(starts, "", LOSSES)
