"""Scrapes thousands of pages in a process of its own and watches its memory and open files on the way."""

import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from bench.loopback_web import LoopbackWeb
from src.retrieval import scraper_for_knowledge_store as step
from tests.retrieval.scraping.small_web import write_tsv
from tests.runner.killing import finish, start

MEGABYTE = 2**20


@dataclass(frozen=True)
class Look:
    """Bytes of the scraper, bytes of its workers together, open files of the scraper."""

    scraper: int
    workers: int
    files: int


def soak(folder: Path, root: Path, pages: list[Path], claims: int, urls: int) -> list[Look]:
    """What was seen, from the first finished claim to the last but one."""
    with LoopbackWeb(pages, latency=(0.0, 0.01)) as web:
        found = web.urls(claims * urls)
        for claim_id in range(claims):
            write_tsv(folder / "urls", claim_id, found[claim_id * urls : (claim_id + 1) * urls])
        flags = ["-i", str(folder / "urls"), "-o", str(folder / "store"), "--allow_private", "--quiet"]
        process = start(step.MODULE, [*flags, "--workers", "2", "--concurrency", "32"], root)
        looks: list[Look] = []
        while process.poll() is None:
            if (folder / "store" / "0.json").exists() and not (folder / "store" / f"{claims - 2}.json").exists():
                looks += _look(process.pid)
            time.sleep(0.02)
        assert finish(process) == (0, "", "")
    assert len(list((folder / "store").glob("*.log.jsonl"))) == claims
    return looks


def _look(pid: int) -> list[Look]:
    try:
        scraper = psutil.Process(pid)
        workers = sum(worker.memory_info().rss for worker in scraper.children())
        return [Look(scraper.memory_info().rss, workers, scraper.num_fds())]
    except psutil.NoSuchProcess:
        return []


def halves(looks: list[Look]) -> tuple[Look, Look]:
    """The most that was seen in the first and in the second half."""
    parts = looks[: len(looks) // 2], looks[len(looks) // 2 :]
    first, second = (
        Look(max(look.scraper for look in part), max(look.workers for look in part), max(look.files for look in part))
        for part in parts
    )
    return first, second
