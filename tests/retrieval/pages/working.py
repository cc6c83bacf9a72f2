"""Page workers at work for a test, and their processes."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import psutil

from src.retrieval.pages.reader import PageText, Reading
from src.retrieval.pages.workers import PageWorkers

PATIENCE = 60.0  # seconds that a process may take to come or go
SENTENCE = "The ferry left at a quarter past six with forty passengers, two dogs and a grandfather clock on board."
PAGE = f"<html><body><p>{SENTENCE}</p><p>{SENTENCE.replace('ferry', 'train')}</p></body></html>"
LONG = "".join(
    f"<p>This is paragraph {number}, which says that it is paragraph {number} and no other.</p>"
    for number in range(10_000)
)


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
    return [child for child in psutil.Process().children() if _is_worker(child)]


def _is_worker(child: psutil.Process) -> bool:
    try:
        return "src.retrieval.pages.worker" in " ".join(child.cmdline())
    except psutil.ZombieProcess:
        return True  # it has ended, and is still there
    except psutil.NoSuchProcess:
        return False


async def until(happened: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < deadline, "it did not happen"
        await asyncio.sleep(0.01)


def gone(process: psutil.Process) -> bool:
    """Whether it was waited for, too. One that is just ending is not among `children`: it has no name any more."""
    return not process.is_running()


def busy(process: psutil.Process, since: float) -> bool:
    """Whether the process has computed for a tenth of a second more than that."""
    return process.cpu_times().user > since + 0.1
