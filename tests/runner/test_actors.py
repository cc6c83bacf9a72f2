"""Actors of a cluster, with stand-ins for Ray: which are started, which get batches, and which are replaced."""

from collections.abc import Sequence
from typing import Any

import pytest

from src.errors import FatalError
from src.runner.cluster import actors, calls
from src.runner.cluster.actors import Actors
from src.runner.cluster.in_flight import AHEAD, IN_A_ROW, LOSSES, Batch, Lost
from src.runner.cluster.on_node import UnusableNode
from src.runner.engine import Engine
from tests.runner.stand_in import Call, StandInNodes, StandInRay


def loaded(model: str = "model") -> Engine[Any, Any]:
    """Return the engine of an actor that is ready."""
    return Engine(work=lambda claims: [], model={"name": model})


class Method:
    """A method of an actor, as Ray calls it. `calls`: in order."""

    def __init__(self) -> None:
        self.calls: list[Call] = []

    def remote(self, claims: Sequence[Any] = ()) -> Call:
        self.calls.append(Call(claims))
        return self.calls[-1]


class Actor:
    """A stand-in for an actor."""

    def __init__(self) -> None:
        self.node, self.start, self.compute = Method(), Method(), Method()


class Cluster(StandInRay):
    """Actors on a stand-in for a cluster of two nodes. `started`, `ended`: actors, in order."""

    def __init__(self) -> None:
        self.nodes = StandInNodes()
        self.started: list[Actor] = []
        self.ended: list[Actor] = []

    def options(self, **_: object) -> "Cluster":
        return self

    def remote(self, refs: object) -> Actor:
        self.started.append(Actor())
        return self.started[-1]

    def kill(self, actor: Actor) -> None:
        self.ended.append(actor)

    def actors(self, most: int = 100) -> Actors[Any]:
        nodes: Any = self.nodes
        work: Any = None
        return Actors(work, nodes, most)

    def ready(self, here: Actors[Any], *names: str) -> None:
        """Have the next actors be ready at nodes."""
        for name in names:
            self.end_start(here, name, loaded())

    def end_start(self, here: Actors[Any], node: str, result: object) -> None:
        """Have the next actor come up at a node, and end its start with a result, or with None: it is lost."""
        here.finished()
        actor = next(one for one in self.started if not one.node.calls[0].is_finished)
        actor.node.calls[0].finish(node)
        here.finished()
        (start,) = actor.start.calls
        start.finish(result) if result else start.lose()
        here.finished()


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Cluster:
    stand_in = Cluster()
    monkeypatch.setattr(actors, "Worker", stand_in)
    for module in (actors, calls):
        monkeypatch.setattr(module, "ray", stand_in)
    return stand_in


def batches(number: int, losses: int = 0) -> list[Batch[Any]]:
    return [Batch([f"claim {one}"], losses) for one in range(number)]


def test_as_many_actors_as_fit_and_are_wanted(cluster: Cluster) -> None:
    cluster.actors(most=1).finished()
    assert len(cluster.started) == 1
    here = cluster.actors()
    here.finished()
    assert len(cluster.started) == 1 + 2
    cluster.nodes.number = 3
    here.finished()
    assert len(cluster.started) == 1 + 3


def test_batches_go_to_actors_that_are_ready(cluster: Cluster) -> None:
    here = cluster.actors()
    assert not here.send(batches(1)[0])
    cluster.ready(here, "a")
    assert [here.send(batch) for batch in batches(3)] == [True] * AHEAD + [False]
    cluster.ready(here, "b")
    assert [here.send(batch) for batch in batches(3)] == [True] * AHEAD + [False]
    assert here.status() == "2 workers on 2 nodes, 4 batches in flight"
    first, second = cluster.started
    second.compute.calls[0].finish([])
    assert here.finished() == [(batches(1)[0], [])]
    assert [len(one.compute.calls) for one in (first, second)] == [AHEAD, AHEAD]


def test_a_lost_batch_gets_an_actor_of_its_own(cluster: Cluster) -> None:
    here = cluster.actors()
    cluster.ready(here, "a", "b")
    new, (lost, another) = batches(3), batches(2, losses=1)
    assert [here.send(one) for one in (new[0], lost, another, new[1], new[2])] == [True, True, False, True, False]
    alone = cluster.started[1]
    assert [call.claims for call in alone.compute.calls] == [lost.claims]
    alone.compute.calls[0].finish([])
    here.finished()
    assert here.send(new[2])


def test_the_batches_of_an_actor_that_has_ended_are_lost_and_it_is_replaced(cluster: Cluster) -> None:
    here = cluster.actors(most=1)
    cluster.ready(here, "a")
    for batch in batches(2):
        here.send(batch)
    for call in cluster.started[0].compute.calls:
        call.lose()
    lost = here.finished()
    assert [batch for batch, _ in lost] == batches(2)
    assert all(isinstance(result, Lost) for _, result in lost)
    assert cluster.ended == cluster.started
    here.finished()
    assert len(cluster.started) == 2


def test_a_node_where_a_model_cannot_be_loaded_is_left_out(cluster: Cluster) -> None:
    here, node = cluster.actors(), UnusableNode("a", "no such model")
    cluster.end_start(here, "a", node)
    assert (cluster.nodes.left_out, cluster.ended) == ([node], cluster.started[:1])


def test_a_node_with_another_model_is_left_out(cluster: Cluster) -> None:
    here = cluster.actors()
    cluster.end_start(here, "a", loaded("one"))
    cluster.end_start(here, "b", loaded("another"))
    reason = "its model is another one than that of the first worker"
    assert cluster.nodes.left_out == [UnusableNode("b", reason)]
    assert here.engine().model == {"name": "one"}
    assert cluster.nodes.said == ["a worker of the Ray cluster that has loaded its model"]
    assert here.status().startswith("1 worker on 1 node")


def test_a_node_where_actors_end_while_they_start_is_left_out(cluster: Cluster) -> None:
    here = cluster.actors()
    cluster.ready(here, "b")
    for _ in range(LOSSES - 1):
        cluster.end_start(here, "a", None)
    assert cluster.nodes.left_out == []
    cluster.end_start(here, "a", None)
    (left_out,) = cluster.nodes.left_out
    assert left_out.node == "a"
    assert left_out.reason.startswith("workers end while they start: ")


def test_an_actor_that_is_ready_ends_the_row_of_its_node(cluster: Cluster) -> None:
    here = cluster.actors()
    for result in (*[None] * (LOSSES - 1), loaded()):
        cluster.end_start(here, "a", result)
    here.send(batches(1)[0])
    cluster.started[LOSSES - 1].compute.calls[0].lose()
    here.finished()
    for _ in range(LOSSES - 1):
        cluster.end_start(here, "a", None)
    assert cluster.nodes.left_out == []


def test_a_node_with_room_for_one_actor_is_kept(cluster: Cluster) -> None:
    here = cluster.actors()
    cluster.ready(here, "a")
    for _ in range(LOSSES):
        cluster.end_start(here, "a", None)
    here.finished()
    assert len(cluster.started) == len(cluster.ended) + 1
    assert cluster.nodes.left_out == []
    (line,) = cluster.nodes.said
    assert line.startswith("note: 1 worker at most from now on: further workers end while they start: ")


def lose_unplaced(cluster: Cluster, here: Actors[Any], number: int) -> None:
    """Lose actors before their node is known."""
    for _ in range(number):
        here.finished()
        next(one for one in cluster.started if not one.node.calls[0].is_finished).node.calls[0].lose()
        here.finished()


def test_actors_that_end_before_their_node_is_known_end_the_run(cluster: Cluster) -> None:
    here = cluster.actors(most=1)
    lose_unplaced(cluster, here, IN_A_ROW)
    with pytest.raises(FatalError, match="workers end while they start"):
        lose_unplaced(cluster, here, 1)


def test_actors_that_end_beside_one_that_is_ready_end_no_run(cluster: Cluster) -> None:
    here = cluster.actors()
    cluster.ready(here, "a")
    lose_unplaced(cluster, here, 2 * IN_A_ROW)
    assert here.send(batches(1)[0])


def test_actors_that_end_together_count_once(cluster: Cluster) -> None:
    cluster.nodes.number = LOSSES
    here = cluster.actors()
    for together in range(1, LOSSES + 1):
        assert cluster.nodes.left_out == []
        here.finished()
        starting = cluster.started[-LOSSES:]
        for actor in starting:
            actor.node.calls[0].finish("a")
        here.finished()
        for actor in starting:
            actor.start.calls[0].lose()
        here.finished()
        assert len(cluster.ended) == LOSSES * together
    assert {one.node for one in cluster.nodes.left_out} == {"a"}
