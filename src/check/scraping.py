"""Scraping of one claim's pages, with progress for each page and cancellation."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import msgspec

from src.check.records import ProgressEvent, Stage
from src.check.run_context import RunContext
from src.pipeline.collect import Collected, collect_pages
from src.records import UrlRow
from src.retrieval.leakage import Leakage
from src.retrieval.scraping.page_log import PageLog
from src.retrieval.scraping.settings import NetworkSettings, PageSettings, prefix
from src.runner.console import how_many
from src.runner.workers import cores
from src.settings import Flag, Positive, Seconds
from src.waiting import waited

READERS = 4  # processes at most: a claim has tens of pages, not thousands, and each process takes a second to start


class Scraping(msgspec.Struct, frozen=True):
    """Settings of a check that say how pages are fetched, and which of them may be evidence.

    `via`: prefix of all URLs, as for a web archive.
    `allow_private`: fetch from private and loopback addresses, too.
    `deadline`: seconds for a URL with all attempts; fewer than in the scraper, because a user waits.
    `most_urls`: maximum number of URLs that are read from the results of a search.
    `exclude_urls`: file of hosts and URLs to refuse.
    `keep_later_pages`: keep pages that are dated after the claim.
    """

    via: Annotated[str, Flag("fetch PREFIX + URL, as from a web archive", metavar="PREFIX", parse=prefix)] = ""
    allow_private: Annotated[bool, Flag("fetch from private and loopback addresses too")] = False
    deadline: Annotated[Seconds, Flag("seconds for a URL with all attempts")] = 10.0
    most_urls: Annotated[Positive, Flag("of those that a search finds")] = 50
    exclude_urls: Annotated[Path | None, Flag("file of hosts and URLs to refuse, one a line")] = None
    keep_later_pages: Annotated[bool, Flag("keep pages dated after the claim")] = False


def scrape_pages(
    rows: Sequence[UrlRow], how: Scraping, leakage: Leakage, context: RunContext, documents: Mapping[str, bytes]
) -> Collected:
    """Fetch the pages of the URLs in `rows`, and return the pages and their logs, under claim_id 0.

    `documents`: content of those that are not fetched, by URL.

    Raises FatalError, or Cancelled when the check was cancelled.
    """
    done = 0

    def report_page(log: PageLog) -> None:
        nonlocal done
        done += 1
        context.tell(ProgressEvent(Stage.PAGES, done, len(rows), f"{log.url}: {outcome(log)}"))

    pages = PageSettings(workers=min(READERS, cores()))
    network = NetworkSettings(via=how.via, allow_private=how.allow_private, deadline=how.deadline)
    return waited(collect_pages(0, rows, leakage, pages, network, report_page, documents))


def outcome(log: PageLog) -> str:
    """Return why a page was not read, or the number of its sentences, as text."""
    return log.reason or how_many(log.sentences, "sentence")
