"""Scraping of one claim's pages, with progress for each page and cancellation."""

import os
from collections.abc import Sequence
from pathlib import Path

import msgspec

from src.check.records import Stage, Told
from src.check.run_context import Watch
from src.pipeline.collect import Collected, collect_pages
from src.records import UrlRow
from src.retrieval.leakage import Leakage
from src.retrieval.scraping.page_log import PageLog
from src.retrieval.scraping.settings import NetworkSettings, PageSettings
from src.runner.console import how_many
from src.waiting import waited

READERS = 4  # processes at most: a claim has tens of pages, not thousands, and each process takes a second to start


class Scraping(msgspec.Struct, frozen=True):
    """How pages are fetched, with the names of the scraper's flags, and which pages may be evidence.

    `deadline` is in seconds, for a URL with all attempts; it is shorter than the scraper's because somebody waits.
    `most_urls` is the maximum number of URLs of a search that are read.
    """

    via: str = ""
    allow_private: bool = False
    deadline: float = 10.0
    exclude_urls: Path | None = None
    keep_later_pages: bool = False
    most_urls: int = 50


def scrape_pages(rows: Sequence[UrlRow], how: Scraping, leakage: Leakage, watch: Watch) -> Collected:
    """Return the pages of the rows, all of claim 0. Raises FatalError or Cancelled."""
    done = 0

    def told(log: PageLog) -> None:
        nonlocal done
        done += 1
        watch.tell(Told(Stage.PAGES, done, len(rows), f"{log.url}: {outcome(log)}"))

    pages = PageSettings(workers=min(READERS, os.cpu_count() or 1))
    network = NetworkSettings(via=how.via, allow_private=how.allow_private, deadline=how.deadline)
    return waited(collect_pages(0, rows, leakage, pages, network, told))


def outcome(log: PageLog) -> str:
    return log.reason or how_many(log.sentences, "sentence")
