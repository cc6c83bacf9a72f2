"""Scraping of one claim's pages by the scraper's step, with progress for each page and cancellation."""

import os
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Annotated

import msgspec

from src.check.records import ProgressEvent, Stage
from src.check.run_context import RunContext
from src.retrieval.leakage.filters import Leakage
from src.retrieval.scraping.claim_urls import plan_claims
from src.retrieval.scraping.flags import add_network_flags, add_page_flags, prefix
from src.retrieval.scraping.page_log import PageLog
from src.retrieval.scraping.plan import make_plan
from src.retrieval.scraping.run import scrape
from src.retrieval.scraping.scraper import STEP
from src.runner.console import how_many
from src.settings import Flag, Positive, Seconds
from src.waiting import waited

READERS = 4  # processes at most: a claim has tens of pages, not thousands, and each process takes a second to start


class Scraping(msgspec.Struct, frozen=True):
    """How pages are fetched, with the names of the scraper's flags, and which pages may be evidence.

    `deadline` is in seconds, for a URL with all attempts; it is shorter than the scraper's because somebody waits.
    `most_urls` is the maximum number of URLs of a search that are read.
    """

    via: Annotated[str, Flag("fetch PREFIX + URL, as from a web archive", metavar="PREFIX", parse=prefix)] = ""
    allow_private: Annotated[bool, Flag("fetch from private and loopback addresses too")] = False
    deadline: Annotated[Seconds, Flag("seconds for a URL with all attempts")] = 10.0
    most_urls: Annotated[Positive, Flag("of those that a search finds")] = 50
    exclude_urls: Annotated[Path | None, Flag("file of hosts and URLs to refuse, one a line")] = None
    keep_later_pages: Annotated[bool, Flag("keep pages dated after the claim")] = False


def scrape_pages(tsv: Path, store: Path, how: Scraping, leakage: Leakage, watch: RunContext) -> list[PageLog]:
    """Write the claim's file into the store and return the log of each row. Raises FatalError or Cancelled."""
    args = _settings(tsv, store, how)
    plan = make_plan(plan_claims(args, STEP, leakage), args)
    logs: list[PageLog] = []

    def settled(log: PageLog) -> None:
        logs.append(log)
        watch.tell(ProgressEvent(Stage.PAGES, len(logs), plan.rows, f"{log.url}: {outcome(log)}"))

    waited(scrape(args, plan, leakage, settled))
    return sorted(logs, key=lambda log: log.row)


def outcome(log: PageLog) -> str:
    return log.reason or how_many(log.sentences, "sentence")


def _settings(tsv: Path, store: Path, how: Scraping) -> Namespace:
    """Return the scraper's settings: its defaults, with the changes requested here.

    Hosts that do not answer do not stop the check: the result lists the pages that could not be read.
    """
    flags = ArgumentParser()
    add_page_flags(flags)
    add_network_flags(flags)
    args = flags.parse_args([])
    vars(args).update(msgspec.structs.asdict(how))
    vars(args).update(tsv_input_file=tsv, json_output_dir=store, start=0, end=-1, overwrite=False)
    vars(args).update(retry_failed=True, quiet=True, workers=min(READERS, os.cpu_count() or 1))
    return args
