"""How worker processes begin, are renewed and end; nothing is raised, logged or left when the pool ends meanwhile."""

import asyncio
import gc
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import psutil
import pytest

from src.errors import FatalError, InputError, MissingExtra
from src.retrieval.pages import workers
from src.retrieval.pages.reader import PageText, Reading
from src.retrieval.pages.workers import PageWorkers, WorkerProcess
from tests.retrieval.pages.working import PATIENCE, SENTENCE, busy, children, in_workers, read, until

pytestmark = pytest.mark.long

TURNS = (0, 2, 9, 200)  # of the event loop between the last page and the end


@pytest.fixture(autouse=True)
def nothing_left(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Check that processes, sockets and files are as before and asyncio logged no failed callback."""
    before = psutil.Process().num_fds()
    yield
    gc.collect()  # unretrieved errors are logged now
    assert children() == []
    assert psutil.Process().num_fds() == before
    records = [*caplog.get_records("call"), *caplog.records]
    assert [record.getMessage() for record in records] == []


async def turn(times: int) -> None:
    for _ in range(times):
        await asyncio.sleep(0)


async def replaced(pool: PageWorkers, page: Path, turns: int) -> None:
    """All workers read a page and are being replaced since."""
    texts = await asyncio.gather(*(read(pool, page) for _ in pool._places))
    assert {text.sentences[0] for text in texts} == {SENTENCE}
    assert not any(place.done() for place in pool._places)
    await turn(turns)


def test_workers_are_renewed(page: Path) -> None:
    async def work(pool: PageWorkers) -> list[int]:
        seen = []
        for _ in range(5):
            await read(pool, page)
            await pool._places[0]
            seen += [child.pid for child in children()]
        return seen

    seen = in_workers(work, renew_after=2)
    assert len(seen) == 5
    assert seen[1] == seen[2] != seen[0]
    assert seen[3] == seen[4] != seen[2]


def test_a_splitter_that_is_not_installed_is_reported_once_at_the_start() -> None:
    with pytest.raises(MissingExtra, match="no_such_model"):
        in_workers(lambda pool: asyncio.sleep(0), 2, Reading(splitter="spacy:no_such_model"))
    assert children() == []


def test_an_extractor_that_is_not_known_is_reported_once_at_the_start() -> None:
    with pytest.raises(InputError, match="extractor 'none' is not known"):
        in_workers(lambda pool: asyncio.sleep(0), 2, Reading(extractor="none"))
    assert children() == []


def test_a_worker_that_cannot_start_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(workers, "ROOT", tmp_path)
    with pytest.raises(FatalError, match=r"does not start: .*No module named 'src'"):
        in_workers(lambda pool: asyncio.sleep(0))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no_python"))
    with pytest.raises(FatalError, match="cannot be started: No such file or directory"):
        in_workers(lambda pool: asyncio.sleep(0))


def test_nothing_is_left_when_the_work_ends_before_its_pages(slow_page: Path) -> None:
    async def work(pool: PageWorkers) -> "asyncio.Task[PageText]":
        reading = asyncio.create_task(read(pool, slow_page))
        (child,) = children()
        await until(partial(busy, child, child.cpu_times().user))
        return reading

    assert in_workers(work).result() == PageText(reason="reader ended by SIGKILL")
    assert children() == []


def test_a_page_after_the_end_has_a_reason(page: Path) -> None:
    async def run() -> PageText:
        async with PageWorkers(1, Reading()) as pool:
            pass
        return await read(pool, page)

    assert asyncio.run(run()) == PageText(reason="reader ended by SIGKILL")


@pytest.mark.parametrize("spare", range(5))
def test_too_few_file_descriptors_are_an_error(spare: int) -> None:
    async def run() -> None:
        limits = resource.getrlimit(resource.RLIMIT_NOFILE)
        held = psutil.Process().num_fds()
        with open(os.devnull, "rb") as lowest:
            free = lowest.fileno()
        resource.setrlimit(resource.RLIMIT_NOFILE, (free + spare, limits[1]))
        try:
            with pytest.raises(FatalError, match="cannot be started: "):
                WorkerProcess.spawn()
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        assert psutil.Process().num_fds() == held

    asyncio.run(run())


def test_an_interrupt_from_the_terminal_is_left_to_the_parent(page: Path) -> None:
    async def work(pool: PageWorkers) -> tuple[list[psutil.Process], PageText, list[psutil.Process]]:
        before = children()
        before[0].send_signal(signal.SIGINT)
        return before, await read(pool, page), children()

    before, texts, after = in_workers(work)
    assert texts.sentences[0] == SENTENCE
    assert before == after


def test_no_worker_outlives_a_parent_that_was_killed(project_root: Path, slow_page: Path) -> None:
    program = f"""
import asyncio
from pathlib import Path
from src.retrieval.pages.reader import Reading
from src.retrieval.pages.workers import PageWorkers

async def main():
    async with PageWorkers(2, Reading()) as pool:
        print("ready", flush=True)
        await pool.read(Path({str(slow_page)!r}), url="", content_type="")

asyncio.run(main())
"""
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, cwd=project_root, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout
        assert parent.stdout.readline() == "ready\n"
        left = psutil.Process(parent.pid).children()
        assert len(left) == 2
        parent.kill()
    assert psutil.wait_procs(left, timeout=PATIENCE)[1] == []


def test_a_worker_whose_input_ends_is_done(project_root: Path) -> None:
    command = [sys.executable, "-m", "src.retrieval.pages.worker"]
    done = subprocess.run(command, cwd=project_root, input=b"", capture_output=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_worker_uses_one_thread_and_no_file_but_its_own(page: Path) -> None:
    async def work(pool: PageWorkers) -> tuple[int, int]:
        await read(pool, page)
        (child,) = children()
        return child.num_threads(), len(child.open_files())

    threads, files = in_workers(work)
    assert threads == 1
    assert files <= 1  # standard error


def test_a_worker_that_is_stopped_twice_is_gone() -> None:
    async def run() -> None:
        worker = WorkerProcess.spawn()
        await worker.begin(Reading(), 1500)
        worker.stop()
        await worker.kill()
        await worker.kill()

    asyncio.run(run())
    assert children() == []


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


def test_a_read_that_waits_when_the_pool_ends_raises(page: Path) -> None:
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
