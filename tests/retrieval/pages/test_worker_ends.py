"""The end of page workers while some of them are being replaced: nothing is raised, said or left by it."""

import asyncio
import gc
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from src.errors import FatalError
from src.retrieval.pages.reader import Reading
from src.retrieval.pages.worker_process import WorkerProcess
from src.retrieval.pages.workers import PageWorkers
from tests.retrieval.pages.working import SENTENCE, children, in_workers, read

TURNS = (0, 1, 2, 3, 4, 6, 9, 200)  # of the event loop between the last page and the end


@pytest.fixture(autouse=True)
def nothing_left(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Processes, sockets and files are as before, and asyncio reports no callback that failed."""
    before = psutil.Process().num_fds()
    yield
    gc.collect()  # errors that nobody asked for are reported now
    assert children() == []
    assert psutil.Process().num_fds() == before
    said = [*caplog.get_records("call"), *caplog.records]
    assert [record.getMessage() for record in said] == []


async def turn(times: int) -> None:
    for _ in range(times):
        await asyncio.sleep(0)


async def replaced(pool: PageWorkers, page: Path, turns: int) -> None:
    """All workers read a page and are being replaced since."""
    found = await asyncio.gather(*(read(pool, page) for _ in pool._places))
    assert {text.sentences[0] for text in found} == {SENTENCE}
    assert not any(place.done() for place in pool._places)
    await turn(turns)


@pytest.mark.parametrize("turns", TURNS)
def test_the_end_waits_for_workers_that_are_being_replaced(page: Path, turns: int) -> None:
    in_workers(lambda pool: replaced(pool, page, turns), 2, renew_after=1)
    assert children() == []


def test_an_error_elsewhere_comes_out_alone(page: Path) -> None:
    async def work(pool: PageWorkers) -> None:
        await replaced(pool, page, 2)
        raise FatalError("the disk is full")

    with pytest.raises(FatalError, match="the disk is full") as caught:
        in_workers(work, 2, renew_after=1)
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("turns", TURNS)
def test_a_run_that_is_cancelled_again_and_again_ends_all_the_same(page: Path, turns: int) -> None:
    async def run() -> None:
        running = asyncio.create_task(_in_pool())
        await begun.wait()
        while not running.done():
            running.cancel()
            await asyncio.sleep(0.001)
        assert running.cancelled()

    async def _in_pool() -> None:
        async with PageWorkers(2, Reading(), renew_after=1) as pool:
            await replaced(pool, page, turns)
            begun.set()
            await asyncio.sleep(60)

    begun = asyncio.Event()
    asyncio.run(run())


@pytest.mark.parametrize("turns", TURNS)
def test_an_interrupt_that_breaks_the_event_loop_leaves_nothing(page: Path, turns: int) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    async def work(pool: PageWorkers) -> None:
        await replaced(pool, page, turns)
        asyncio.get_running_loop().call_soon(interrupt)
        await asyncio.sleep(60)

    with pytest.raises(KeyboardInterrupt):
        in_workers(work, 2, renew_after=1)


@pytest.mark.parametrize("turns", TURNS)
def test_an_event_loop_that_breaks_as_a_worker_is_made_leaves_nothing(page: Path, turns: int) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    async def work(pool: PageWorkers) -> None:
        first = set(psutil.Process().children())
        await replaced(pool, page, 0)
        while first.issuperset(psutil.Process().children()):
            await asyncio.sleep(0)
        await turn(turns)
        asyncio.get_running_loop().call_soon(interrupt)
        await asyncio.sleep(60)

    with pytest.raises(KeyboardInterrupt):
        in_workers(work, 2, renew_after=1)


@pytest.mark.parametrize("turns", TURNS)
def test_a_start_that_is_cancelled_leaves_nothing(turns: int) -> None:
    async def run() -> None:
        starting = asyncio.create_task(_in_pool())
        await turn(turns + 1)
        starting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await starting

    async def _in_pool() -> None:
        async with PageWorkers(2, Reading()):
            raise AssertionError("it is not ready so soon")

    asyncio.run(run())


def test_a_start_in_which_the_event_loop_breaks_leaves_nothing() -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    async def run() -> None:
        starting = asyncio.create_task(_in_pool())
        while len(children()) < 2:
            await asyncio.sleep(0)
        await turn(10)
        asyncio.get_running_loop().call_soon(interrupt)
        await starting

    async def _in_pool() -> None:
        async with PageWorkers(2, Reading()):
            raise AssertionError("it is not ready so soon")

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(run())


def test_what_waits_for_a_worker_at_the_end_is_told(page: Path) -> None:
    async def work(pool: PageWorkers) -> "asyncio.Task[object]":
        await replaced(pool, page, 2)
        late: asyncio.Task[object] = asyncio.create_task(read(pool, page))
        await turn(1)
        return late

    async def run() -> None:
        async with PageWorkers(1, Reading(), renew_after=1) as pool:
            late = await work(pool)
        with pytest.raises(FatalError, match="have ended"):
            await late

    asyncio.run(run())


def test_a_kill_that_is_cancelled_still_ends_the_worker() -> None:
    async def run() -> None:
        worker = WorkerProcess.spawn()
        killing = asyncio.create_task(worker.kill())
        await turn(1)
        killing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await killing
        assert children() == []

    asyncio.run(run())
