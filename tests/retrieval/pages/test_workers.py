"""Workers that end in the middle of a page, in every way there is, and the pages after it."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest

from src.errors import FatalError, InputError, MissingExtra
from src.retrieval.pages import worker_process, workers
from src.retrieval.pages.page_text import PageText
from src.retrieval.pages.reader import Reading, read_page
from src.retrieval.pages.worker_process import WorkerProcess
from src.retrieval.pages.workers import PageWorkers
from tests.retrieval.pages.pdf_builder import bomb_pdf

PATIENCE = 60.0  # seconds that a process may take to come or go
SENTENCE = "The ferry left at a quarter past six with forty passengers, two dogs and a grandfather clock on board."
PAGE = f"<html><body><p>{SENTENCE}</p><p>{SENTENCE.replace('ferry', 'train')}</p></body></html>"
LONG = "".join(
    f"<p>This is paragraph {number}, which says that it is paragraph {number} and no other.</p>"
    for number in range(10_000)
)


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.html"
    path.write_text(PAGE, encoding="utf-8")
    return path


@pytest.fixture
def slow_page(tmp_path: Path) -> Path:
    """A page that takes seconds to read."""
    path = tmp_path / "slow.html"
    path.write_text(f"<html><body><article>{LONG}</article></body></html>", encoding="utf-8")
    return path


@pytest.fixture
def large_page(tmp_path: Path) -> Path:
    """A page that takes hundreds of megabytes to read."""
    path = tmp_path / "large.html"
    path.write_text(f"<html><body><article>{LONG * 20}</article></body></html>", encoding="utf-8")
    return path


def in_workers(
    work: Callable[[PageWorkers], Coroutine[Any, Any, Any]],
    count: int = 1,
    reading: Reading | None = None,
    **limits: Any,
) -> Any:
    async def run() -> Any:
        async with PageWorkers(count, reading or Reading(), **limits) as pool:
            return await work(pool)

    return asyncio.run(run())


async def read(pool: PageWorkers, path: Path) -> PageText:
    return await pool.read(path, url="https://a.example/x", content_type="text/html")


def children() -> list[psutil.Process]:
    found = psutil.Process().children()
    return [child for child in found if "src.retrieval.pages.worker" in " ".join(child.cmdline())]


async def until(happened: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < deadline, "it did not happen"
        await asyncio.sleep(0.01)


def gone(process: psutil.Process) -> bool:
    return process not in children()


def busy(process: psutil.Process, since: float) -> bool:
    """Whether the process has computed for a tenth of a second more than that."""
    return process.cpu_times().user > since + 0.1


def test_pages_are_read_as_without_workers(sample: Path) -> None:
    paths = sorted((sample / "pages" / "1").glob("*.*"))

    async def work(pool: PageWorkers) -> list[PageText]:
        return await asyncio.gather(*(read(pool, path) for path in paths))

    expected = [
        read_page(path, url="https://a.example/x", content_type="text/html", reading=Reading()) for path in paths
    ]
    assert in_workers(work, 2) == expected
    assert {found.extractor for found in expected} == {"trafilatura", "pypdfium2"}
    assert children() == []


def test_a_page_that_takes_too_long_is_given_up_and_the_next_is_read(page: Path, slow_page: Path) -> None:
    async def work(pool: PageWorkers) -> list[PageText]:
        pool._seconds = 0.05
        found = [await read(pool, slow_page)]
        pool._seconds = 60
        return [*found, await read(pool, page)]

    slow, following = in_workers(work)
    assert slow == PageText(reason="reading took more than 0.05 s")
    assert following.sentences[0] == SENTENCE


def test_a_page_that_takes_too_much_memory_is_given_up_and_the_next_is_read(page: Path, large_page: Path) -> None:
    async def work(pool: PageWorkers) -> list[PageText]:
        return [await read(pool, large_page), await read(pool, page)]

    large, following = in_workers(work, megabytes=400)
    assert large.reason == "reading took more than 400 MB"
    assert following.sentences[0] == SENTENCE


def test_a_pdf_that_inflates_enormously_is_given_up_and_the_next_page_is_read(page: Path, tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.pdf"
    bomb.write_bytes(bomb_pdf(400))
    assert bomb.stat().st_size < 20_000

    async def work(pool: PageWorkers) -> list[PageText]:
        return [await read(pool, bomb), await read(pool, page)]

    bombed, following = in_workers(work, megabytes=250, seconds=20)
    assert bombed.sentences == []
    assert bombed.reason
    assert following.sentences[0] == SENTENCE


def test_a_deeply_nested_page_has_a_reason(tmp_path: Path) -> None:
    deep = tmp_path / "deep.html"
    deep.write_text("<html><body>" + "<div>" * 100_000 + PAGE, encoding="utf-8")
    assert in_workers(lambda pool: read(pool, deep)).reason == "nested too deeply"


def test_a_page_whose_worker_was_killed_is_tried_once_more(slow_page: Path) -> None:
    async def work(pool: PageWorkers) -> PageText:
        (child,) = children()
        before = child.cpu_times().user
        reading = asyncio.create_task(read(pool, slow_page))
        await until(lambda: busy(child, before))
        child.kill()
        return await reading

    assert in_workers(work).sentences


def test_a_page_whose_workers_are_killed_again_and_again_has_a_reason(page: Path, slow_page: Path) -> None:
    async def work(pool: PageWorkers) -> list[PageText]:
        reading = asyncio.create_task(read(pool, slow_page))
        for _ in range(workers.ATTEMPTS):
            await until(children)
            (child,) = children()
            await until(pool._places[0].done)
            await until(partial(busy, child, child.cpu_times().user))
            child.send_signal(signal.SIGTERM)
            await until(partial(gone, child))
        return [await reading, await read(pool, page)]

    killed, following = in_workers(work)
    assert killed == PageText(reason="reader ended by SIGTERM")
    assert following.sentences[0] == SENTENCE


def test_who_stops_waiting_leaves_nothing_in_the_pipe(page: Path, slow_page: Path) -> None:
    async def work(pool: PageWorkers) -> PageText:
        (child,) = children()
        before = child.cpu_times().user
        reading = asyncio.create_task(read(pool, slow_page))
        await until(lambda: busy(child, before))
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        return await read(pool, page)

    assert in_workers(work).sentences[0] == SENTENCE


def test_nothing_is_left_when_the_work_ends_before_its_pages(slow_page: Path) -> None:
    async def work(pool: PageWorkers) -> "asyncio.Task[PageText]":
        reading = asyncio.create_task(read(pool, slow_page))
        (child,) = children()
        await until(partial(busy, child, child.cpu_times().user))
        return reading

    assert in_workers(work).done()
    assert children() == []


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


def test_names_of_files_need_not_be_text(tmp_path: Path) -> None:
    path = Path(os.fsdecode(bytes(tmp_path) + b"/page\xff.html"))
    path.write_text(PAGE, encoding="utf-8")
    found = in_workers(lambda pool: pool.read(path, url="https://a.example/\udcff", content_type=""))
    assert found.sentences[0] == SENTENCE


def test_a_worker_that_is_stopped_twice_is_gone() -> None:
    async def run() -> None:
        worker = await WorkerProcess.spawn()
        await worker.begin(Reading(), 1500)
        worker.stop()
        await worker.kill()
        await worker.kill()

    asyncio.run(run())
    assert children() == []
