"""How the processes of the workers begin, are renewed and end."""

import asyncio
import os
import resource
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import psutil
import pytest

from src.errors import FatalError, InputError, MissingExtra
from src.retrieval.pages import worker_process
from src.retrieval.pages.page_text import PageText
from src.retrieval.pages.reader import Reading
from src.retrieval.pages.worker_process import WorkerProcess
from src.retrieval.pages.workers import PageWorkers
from tests.retrieval.pages.working import PATIENCE, SENTENCE, busy, children, in_workers, read, until


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


def test_a_splitter_that_is_not_installed_is_said_once_at_the_start() -> None:
    with pytest.raises(MissingExtra, match="no_such_model"):
        in_workers(lambda pool: asyncio.sleep(0), 2, Reading(splitter="spacy:no_such_model"))
    assert children() == []


def test_an_extractor_that_is_not_known_is_said_once_at_the_start() -> None:
    with pytest.raises(InputError, match="extractor 'none' is not known"):
        in_workers(lambda pool: asyncio.sleep(0), 2, Reading(extractor="none"))
    assert children() == []


def test_a_worker_that_cannot_start_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(worker_process, "ROOT", tmp_path)
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

    before, found, after = in_workers(work)
    assert found.sentences[0] == SENTENCE
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
