"""Tasks of a cluster, with stand-ins for Ray: which batches are computed again elsewhere, and which are lost."""

from collections.abc import Sequence
from typing import Any

import pytest
from ray.exceptions import RayTaskError

from src.errors import FatalError
from src.runner.cluster import calls, tasks
from src.runner.cluster.calls import NotLoaded
from src.runner.cluster.in_flight import AHEAD, Batch
from src.runner.cluster.on_node import UnusableNode
from src.runner.cluster.tasks import Tasks
from tests.runner.stand_in import Call, StandInNodes, StandInRay

BATCH = Batch[Any](["eels", "frogs"])


class Function:
    """The remote function. `called`: its calls, in order."""

    def __init__(self) -> None:
        self.called: list[Call] = []

    def options(self, **_: object) -> "Function":
        return self

    def remote(self, refs: object, claims: Sequence[Any]) -> Call:
        self.called.append(Call(claims))
        return self.called[-1]


@pytest.fixture
def function(monkeypatch: pytest.MonkeyPatch) -> Function:
    stand_in = Function()
    monkeypatch.setattr(tasks, "compute_batch", stand_in)
    for module in (calls, tasks):
        monkeypatch.setattr(module, "ray", StandInRay())
    return stand_in


def tasks_on(nodes: Any, most: int = 100) -> Tasks[Any]:
    work: Any = None
    return Tasks(work, nodes, most)


def not_loaded() -> Exception:
    """Return the error of a node without the project."""
    return RayTaskError("compute_batch", f"{calls.NO_PROJECT}\nNo module", RuntimeError())  # type: ignore[no-untyped-call]


def test_few_batches_are_sent_ahead(function: Function) -> None:
    nodes = StandInNodes(3)
    here = tasks_on(nodes)
    assert [here.send(BATCH) for _ in range(AHEAD * 3 + 1)] == [True] * AHEAD * 3 + [False]
    assert tasks_on(nodes, most=0).send(BATCH) is False


def test_a_batch_at_an_unusable_node_is_computed_elsewhere(function: Function) -> None:
    nodes, node = StandInNodes(), UnusableNode("a", "differs")
    here = tasks_on(nodes)
    here.send(BATCH)
    function.called[0].finish(node)
    assert (here.finished(), nodes.left_out) == ([], [node])
    function.called[1].finish([])
    assert here.finished() == [(BATCH, [])]
    assert [call.claims for call in function.called] == [BATCH.claims] * 2


def test_a_node_without_the_project_costs_no_batch_while_it_is_compared(function: Function) -> None:
    nodes = StandInNodes()
    here = tasks_on(nodes)
    nodes.comparing = True
    here.send(BATCH)
    function.called[0].finish(not_loaded())
    assert here.finished() == []
    nodes.comparing = False
    function.called[1].finish(not_loaded())
    assert here.finished() == [(BATCH, NotLoaded("No module"))]


def test_nodes_are_looked_at_while_the_last_batches_are_computed(function: Function) -> None:
    nodes = StandInNodes()
    here = tasks_on(nodes)
    here.send(BATCH)
    nodes.ending = "no node of the Ray cluster could work"
    with pytest.raises(FatalError, match=nodes.ending):
        here.finished()
