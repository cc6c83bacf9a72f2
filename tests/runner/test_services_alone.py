"""Services with stand-ins for Ray: workers that end again and again, and nodes that are lost."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import nullcontext
from typing import Any

import pytest
from ray.exceptions import RayActorError

from src.errors import FatalError
from src.runner.cluster import services as module
from src.runner.cluster.in_flight import IN_A_ROW, LOSSES, WorkerLostError
from src.runner.cluster.services import Services
from src.settings import ClusterSettings


class Method:
    """A method of an actor, as Ray calls it."""

    def __init__(self, work: Callable[..., Awaitable[Any]]) -> None:
        self.remote = work


class Cluster:
    """A stand-in for Ray, its nodes and its actors. An actor ends at a question `kill`.

    `number`: of nodes of one core; a question `last` loses them all. `looks`: how often none was seen, at most thrice.
    """

    number, looks = 2, 0

    def __call__(self, *_: object, **__: object) -> "Cluster":
        """Return the nodes."""
        return self

    def put(self, value: object) -> object:
        return value

    def kill(self, actor: object) -> None:
        pass

    def options(self, **_: object) -> "Cluster":
        return self

    def remote(self, refs: object) -> "Cluster":
        return self

    @property
    def start(self) -> Method:
        async def start() -> None:
            if self.number == 0:
                await asyncio.sleep(3600)

        return Method(start)

    @property
    def ask(self) -> Method:
        async def answer(question: str) -> str:
            await asyncio.sleep(0)
            if question == "kill":
                raise RayActorError
            if question == "last":
                self.number = 0
                raise RayActorError
            return question

        return Method(answer)

    @property
    def close(self) -> Method:
        async def close() -> None:
            pass

        return Method(close)

    def room(self) -> int:
        self.looks += self.number == 0
        if self.looks > 3:
            raise FatalError("no node of the Ray cluster could work for 10 minutes")
        return self.number

    def needs(self) -> Mapping[str, Any]:
        return {}

    def files(self) -> None:
        pass

    def summary(self) -> str:
        return "a stand-in"

    def say(self, text: str) -> None:
        pass


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Cluster:
    stand_in = Cluster()
    monkeypatch.setattr(module, "connect", lambda address: "")
    for name in ("ray", "Nodes", "Server"):
        monkeypatch.setattr(module, name, stand_in)
    monkeypatch.setattr(module, "LOOK", 0.01)
    return stand_in


def run(use: Callable[[Services], Coroutine[Any, Any, Any]]) -> Any:
    async def main() -> Any:
        async with Services(lambda: nullcontext(), ClusterSettings(), {}, "test", quiet=True) as services:  # type: ignore[arg-type, return-value]
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
        await asyncio.wait_for(services.ask("host", "last"), 60)

    with pytest.raises(FatalError, match="no node of the Ray cluster could work"):
        run(lose_all)


def test_the_status_counts_workers_and_requests(cluster: Cluster) -> None:
    async def status_of_three(services: Services) -> str:
        requests = [asyncio.create_task(services.ask("host", "hello")) for _ in range(3)]
        await asyncio.sleep(0)
        status = services.status()
        await asyncio.gather(*requests)
        return f"{status}; {services.status()}"

    assert run(status_of_three) == "2 workers, 3 requests in flight; 2 workers, 0 requests in flight"
