"""Services with stand-ins for Ray: workers that end again and again, and nodes that are lost."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import nullcontext
from typing import Any

import pytest
from ray.exceptions import RayActorError

from src.errors import FatalError
from src.runner.cluster import services as module
from src.runner.cluster.in_flight import IN_A_ROW, LOSSES, WorkerLostError
from src.runner.cluster.services import Services
from src.settings import ClusterSettings
from tests.runner.stand_in import StandInNodes, StandInRay

MOST_LOOKS = 50  # more than asking for a worker takes


class Method:
    """A method of an actor, as Ray calls it."""

    def __init__(self, work: Callable[..., Awaitable[Any]]) -> None:
        self.remote = work


class Cluster(StandInNodes, StandInRay):
    """A stand-in for Ray, its nodes and its actors. A question `last` loses all nodes.

    `places`: workers that fit a node, though a second one ends while it starts. `failing`: number of starts that end
        their worker, by node. `looks`: how often no node was seen, at most MOST_LOOKS.
    """

    looks, started, places = 0, 0, 1

    def __init__(self) -> None:
        super().__init__()
        self.actors: list[Actor] = []
        self.failing = Counter[str]()

    def __call__(self, *_: object, **__: object) -> "Cluster":
        """Return the nodes."""
        return self

    def options(self, **_: object) -> "Cluster":
        return self

    def remote(self, refs: object) -> "Actor":
        """Return an actor on a free node, or on none."""
        left_out, taken = {one.node for one in self.left_out}, Counter(actor.name for actor in self.actors)
        names = [f"node {number}" for number in range(self.number // self.places)]
        free = [name for name in names if name not in left_out and taken[name] < self.places]
        self.actors.append(Actor(self, free[0] if free else ""))
        return self.actors[-1]

    def kill(self, actor: "Actor") -> None:
        self.actors.remove(actor)

    def room(self) -> int:
        self.looks += self.number == 0
        if self.looks > MOST_LOOKS:
            self.ending = "no node of the Ray cluster could work for 10 minutes"
        return super().room()


class Actor:
    """A stand-in for an actor on a node; it ends at a question `kill`. Without a node it waits for ever."""

    def __init__(self, cluster: Cluster, name: str) -> None:
        self.cluster, self.name = cluster, name
        for method in (self.node, self.start, self.ask, self.close):
            setattr(self, method.__name__, Method(method))

    async def node(self) -> str:
        if not self.name:
            await asyncio.Event().wait()
        return self.name

    async def start(self) -> None:
        self.cluster.started += 1
        self.cluster.failing[self.name] -= 1
        first = next(actor for actor in self.cluster.actors if actor.name == self.name)
        if self.cluster.failing[self.name] >= 0 or first is not self:
            raise RayActorError

    async def ask(self, question: str) -> str:
        await asyncio.sleep(0)
        if question == "last":
            self.cluster.number = 0
        if question in ("kill", "last"):
            raise RayActorError
        return question

    async def close(self) -> None:
        pass


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Cluster:
    stand_in = Cluster()
    monkeypatch.setattr(module, "connect", lambda address, quiet: "")
    for name in ("ray", "Nodes", "Server"):
        monkeypatch.setattr(module, name, stand_in)
    monkeypatch.setattr(module, "LOOK", 0.01)
    return stand_in


def run(use: Callable[[Services], Coroutine[Any, Any, Any]]) -> Any:
    async def main() -> Any:
        async with (
            asyncio.timeout(60),
            Services(lambda: nullcontext(), ClusterSettings(), {}, "test", quiet=True) as services,  # type: ignore[arg-type, return-value]
        ):
            return await use(services)

    return asyncio.run(main())


def test_workers_that_end_at_every_question_end_the_run(cluster: Cluster) -> None:
    async def ask_all(services: Services) -> Any:
        questions = [services.ask(f"host {number}", "kill") for number in range(IN_A_ROW + 5)]
        return await asyncio.gather(*questions, return_exceptions=True)

    errors = run(ask_all)
    assert [type(error) for error in errors].count(WorkerLostError) == IN_A_ROW
    assert str(next(error for error in errors if isinstance(error, FatalError))).startswith(
        "workers end one after another"
    )


def test_an_answer_in_between_lets_the_run_go_on(cluster: Cluster) -> None:
    async def ask_in_turns(services: Services) -> None:
        for number in range(2 * IN_A_ROW):
            with pytest.raises(WorkerLostError, match=f"its worker ended {LOSSES} times"):
                await services.ask(f"host {number}", "kill")
            assert await services.ask("another host", "hello") == "hello"

    run(ask_in_turns)


def test_a_last_node_that_is_lost_ends_the_run(cluster: Cluster) -> None:
    async def lose_all(services: Services) -> None:
        await services.ask("host", "last")

    with pytest.raises(FatalError, match="no node of the Ray cluster could work"):
        run(lose_all)


def test_a_node_that_joins_gets_workers(cluster: Cluster) -> None:
    async def joined(services: Services) -> str:
        cluster.number = 3
        while not services.status().startswith("3 workers"):
            await asyncio.sleep(0.01)
        return "joined"

    assert run(joined) == "joined"


def test_a_node_where_workers_end_while_they_start_is_left_out(cluster: Cluster) -> None:
    cluster.number, cluster.failing["node 1"] = 3, LOSSES

    async def ask_all(services: Services) -> Any:
        while not cluster.left_out:
            await asyncio.sleep(0.01)
        return await asyncio.gather(*(services.ask(f"host {number}", "hello") for number in range(9)))

    assert run(ask_all) == ["hello"] * 9
    assert {one.node for one in cluster.left_out} == {"node 1"}


def test_a_node_where_workers_are_ready_in_between_is_kept(cluster: Cluster) -> None:
    cluster.number = 1

    async def ask_in_turns(services: Services) -> None:
        for _ in range(3):
            cluster.failing["node 0"] = LOSSES - 1
            with pytest.raises(WorkerLostError):
                await services.ask("host", "kill")
            assert await services.ask("host", "hello") == "hello"

    run(ask_in_turns)
    assert cluster.left_out == []


def test_a_node_with_room_for_one_worker_is_kept(cluster: Cluster) -> None:
    cluster.number = cluster.places = 2

    async def ask_late(services: Services) -> Any:
        while cluster.started < 1 + LOSSES:
            await asyncio.sleep(0)
        await asyncio.sleep(0.1)
        return await services.ask("host", "hello")

    assert run(ask_late) == "hello"
    assert (cluster.left_out, cluster.started) == ([], 1 + LOSSES)


def test_the_status_counts_workers_and_requests(cluster: Cluster) -> None:
    async def status_of_three(services: Services) -> str:
        requests = [asyncio.create_task(services.ask("host", "hello")) for _ in range(3)]
        await asyncio.sleep(0)
        status = services.status()
        await asyncio.gather(*requests)
        return f"{status}; {services.status()}"

    assert run(status_of_three) == "2 workers, 3 requests in flight; 2 workers, 0 requests in flight"
