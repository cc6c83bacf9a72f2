"""What is told of a check as it comes, and to whom it was told before."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import msgspec
import pytest

from src.report.server import events as events_module
from src.report.server.check_service import CheckService
from src.report.server.events import RETRY, events
from src.report.server.history import History
from src.report.server.records import Limits, State, Status
from src.report.server.submission import ClaimSubmission
from tests.report.server.asking import URL
from tests.report.server.scripted import HELD, Scripted


@pytest.fixture
def service(folder: Path, checks: Scripted) -> Iterator[CheckService]:
    with History(folder, 10) as history:
        yield CheckService(checks, history, Limits())


def ask(service: CheckService, claim: str) -> str:
    return service.ask(ClaimSubmission(claim, urls=[URL])).id


def read(event: bytes) -> tuple[str, str, State]:
    name, number, data = event.decode().strip().split("\n")
    state = msgspec.json.decode(data.removeprefix("data: "), type=State)
    return name.removeprefix("event: "), number.removeprefix("id: "), state


async def after_retry(found: AsyncIterator[bytes]) -> bytes:
    assert await anext(found) == RETRY
    return await anext(found)


def test_every_change_is_told_and_the_end_is_the_last_word(service: CheckService, checks: Scripted) -> None:
    check_id = ask(service, f"{HELD} eels.")

    async def followed() -> list[tuple[str, str, State]]:
        found = events(service, check_id)
        first = read(await after_retry(found))
        service.start()
        second = read(await anext(found))
        checks.release.set()
        return [first, second, *[read(event) async for event in found]]

    told = asyncio.run(followed())
    service.stop()
    assert [name for name, _, _ in told] == ["state"] * (len(told) - 1) + ["end"]
    assert told[0][2].place == 1
    assert (told[-1][2].status, told[-1][2].verdict) == (Status.DONE, "Supported")
    numbers = [int(number) for _, number, _ in told]
    assert numbers == sorted(set(numbers))


def test_whoever_comes_back_is_not_told_the_same_again(service: CheckService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events_module, "HEARTBEAT", 0.0)
    check_id = ask(service, "Eels wait.")
    _, number, _ = read(asyncio.run(after_retry(events(service, check_id))))
    assert asyncio.run(after_retry(events(service, check_id, number))) == b": still here\n\n"
    service.cancel(check_id)
    name, later, state = read(asyncio.run(after_retry(events(service, check_id, number))))
    assert (name, state.status, int(later) > int(number)) == ("end", Status.CANCELLED, True)


def test_what_changes_elsewhere_is_told_only_where_it_moves_the_queue(service: CheckService) -> None:
    ids = [ask(service, f"Eels {n}.") for n in range(2)]

    async def followed() -> list[State]:
        found = events(service, ids[1])
        first = read(await after_retry(found))[2]
        ask(service, "Eels behind it.")
        service.cancel(ids[0])
        return [first, read(await anext(found))[2]]

    assert [state.place for state in asyncio.run(followed())] == [2, 1]


def test_a_check_that_is_deleted_ends_its_events(service: CheckService) -> None:
    check_id = ask(service, "Eels wait.")

    async def followed() -> list[bytes]:
        found = events(service, check_id)
        await after_retry(found)
        service.cancel(check_id)
        service.delete(check_id)
        return [event async for event in found]

    assert asyncio.run(followed()) == []


def test_a_change_while_one_looks_is_not_missed(service: CheckService, monkeypatch: pytest.MonkeyPatch) -> None:
    check_id = ask(service, "Eels wait.")
    look = events_module._state

    def looked(service: CheckService, check_id: str) -> State | None:
        found = look(service, check_id)
        service.cancel(check_id)
        return found

    async def followed() -> list[bytes]:
        monkeypatch.setattr(events_module, "_state", looked)
        return [event async for event in events(service, check_id)]

    monkeypatch.setattr(events_module, "HEARTBEAT", float("inf"))
    _, first, last = asyncio.run(asyncio.wait_for(followed(), 30))
    assert [read(first)[0], read(last)[0]] == ["state", "end"]
