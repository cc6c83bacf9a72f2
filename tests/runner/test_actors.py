"""Actors with stand-ins for Ray: starts, models that differ, lost batches and starts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from src.errors import InputError
from src.runner.cluster import actors as module
from src.runner.cluster.actors import Actors
from src.runner.cluster.in_flight import AHEAD, LOSSES, Batch, Lost
from src.runner.cluster.on_node import Ready, UnusableNode
from src.runner.engine import Engine
from src.runner.journal import Entry


class Method:
    """A method of an actor: a call is its result."""

    def __init__(self, work: Callable[..., Any]) -> None:
        self._work = work

    def remote(self, *arguments: Any) -> "Call":
        return Call(self._work(*arguments))


@dataclass(eq=False)
class Call:
    result: Any


class Actor:
    """An actor on a node. `start`: result of its start. Batches with the claim 0 are lost."""

    def __init__(self, node: str, start: Any) -> None:
        self.name, self.node = node, Method(lambda: node)
        self.start = Method(lambda: start)
        self.compute = Method(lambda claims: Lost("killed") if 0 in claims else [])


class Nodes:
    """Nodes with room for `room()` actors. `left_out`: the nodes that are not used any more."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.left_out: list[UnusableNode] = []

    def room(self) -> int:
        return self.number

    def needs(self) -> Mapping[str, Any]:
        return {}

    def say(self, text: str) -> None:
        pass

    def leave_out(self, node: UnusableNode) -> None:
        self.left_out.append(node)
        self.number -= 1
        if not self.number:
            raise InputError(node.reason)


class StandIn(Actors[Any]):
    """Actors, each on a node that has none and is not left out. `starts`: result of a start on each node."""

    def __init__(self, nodes: Nodes, starts: Mapping[str, Any]) -> None:
        super().__init__(None, nodes, 9)  # type: ignore[arg-type]
        self.starts, self.ended = starts, 0

    def new_actor(self, needs: Mapping[str, Any]) -> Actor:
        usable = sorted(self.starts.keys() - {node.node for node in self._nodes.left_out})  # type: ignore[attr-defined]
        taken = {slot.actor.name for slot in self._slots}
        node = next((node for node in usable if node not in taken), usable[0])
        return Actor(node, self.starts[node])

    def end_actor(self, actor: Any) -> None:
        self.ended += 1


def _none(claims: Sequence[Any]) -> list[Any]:
    return []


def ready(node: str, model: str = "one") -> Ready[Any, Any]:
    return Ready(Engine(work=_none, model={"name": model}), node)


@pytest.fixture(autouse=True)
def no_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    class Ray:
        @staticmethod
        def put(value: object) -> object:
            return value

    monkeypatch.setattr(module, "ray", Ray)
    monkeypatch.setattr(module, "finished_calls", list)
    monkeypatch.setattr(module, "answer_of", lambda call: call.result)


def work_until(actors: StandIn, is_reached: Callable[[], bool]) -> list[tuple[Batch[Any], list[Entry] | Lost]]:
    results: list[tuple[Batch[Any], list[Entry] | Lost]] = []
    for _ in range(100):
        results += actors.finished()
        if is_reached():
            return results
    raise AssertionError("not reached")


def test_a_node_where_actors_end_while_they_start_is_left_out_and_the_others_work() -> None:
    nodes = Nodes(2)
    actors = StandIn(nodes, {"a": ready("a"), "b": Lost("out of memory")})
    work_until(actors, lambda: bool(nodes.left_out))
    assert nodes.left_out == [UnusableNode("b", "workers of the Ray cluster end while they start: out of memory")]
    assert actors.ended == LOSSES
    assert actors.engine().model == {"name": "one"}
    assert actors.send(Batch([1]))
    assert work_until(actors, lambda: actors.status() == "1 worker on 1 node, 0 batches in flight") == [
        (Batch([1]), [])
    ]


def test_a_node_with_another_model_is_left_out() -> None:
    nodes = Nodes(2)
    actors = StandIn(nodes, {"a": ready("a"), "b": ready("b", "two")})
    work_until(actors, lambda: bool(nodes.left_out))
    assert nodes.left_out == [UnusableNode("b", "its model is another one than that of the first worker")]


def test_where_no_actor_starts_the_run_ends() -> None:
    actors = StandIn(Nodes(1), {"a": Lost("out of memory")})
    with pytest.raises(InputError, match="end while they start: out of memory"):
        actors.engine()


def test_an_actor_has_some_batches_and_a_lost_one_alone() -> None:
    actors = StandIn(Nodes(1), {"a": ready("a")})
    actors.engine()
    assert [actors.send(Batch([number])) for number in range(1, AHEAD + 2)] == [True] * AHEAD + [False]
    work_until(actors, lambda: actors.status().endswith("0 batches in flight"))
    assert actors.send(Batch([1], losses=1))
    assert not actors.send(Batch([2]))
    work_until(actors, lambda: actors.status().endswith("0 batches in flight"))
    assert actors.send(Batch([2]))
    assert not actors.send(Batch([1], losses=1))


def test_an_actor_that_is_lost_with_its_batch_is_replaced() -> None:
    actors = StandIn(Nodes(1), {"a": ready("a")})
    actors.engine()
    actors.send(Batch([0]))
    ((batch, result),) = actors.finished()
    assert (batch.claims, result) == ([0], Lost("killed"))
    assert (actors.ended, actors.status()) == (1, "0 workers on 0 nodes, 0 batches in flight")
    work_until(actors, lambda: actors.status().startswith("1 worker on 1 node"))
