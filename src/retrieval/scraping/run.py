"""A run of the scraper: builds fetcher, readers, frontier and claims from the flags."""

import argparse
from collections.abc import Callable
from contextlib import AsyncExitStack

from src.retrieval.leakage.filters import Leakage
from src.retrieval.pages.workers import PageWorkers
from src.retrieval.scraping.circuit_breaker import HOSTS, Silence
from src.retrieval.scraping.flags import limits_from, reading_from
from src.retrieval.scraping.frontier import Frontier
from src.retrieval.scraping.open_claims import OpenClaims
from src.retrieval.scraping.open_files import OpenFiles, share_open_files
from src.retrieval.scraping.page_folder import PageFolder
from src.retrieval.scraping.page_log import PageLog
from src.retrieval.scraping.plan import Plan
from src.retrieval.scraping.scraper import Scraper
from src.retrieval.scraping.sources import PageSource, SavedPages, Web
from src.runner.console import Progress, say
from src.temporary_folder import temporary_folder

ASIDE = ".pages-"  # temporary pages; beside the store, since the system's temporary folder may lack space


async def scrape(
    args: argparse.Namespace, plan: Plan, leakage: Leakage, settled: Callable[[PageLog], None] = lambda _: None
) -> int:
    """Scrape the claims of the plan; return 0, or 1 if this program failed for a row. Raises FatalError when the run
    must end.

    `settled` is called with the log line of each row as soon as its result is known.
    """
    keep = PageFolder(args.keep_pages).make() if args.keep_pages else None
    silence = Silence(1 if args.via else HOSTS, patience=not (args.retry_failed or args.from_pages))
    files = share_open_files(args.workers)
    claims = OpenClaims(plan.open, args, leakage, keep, early=files.claims)
    async with AsyncExitStack() as stack:
        reader = PageWorkers(args.workers, reading_from(args), seconds=args.page_seconds)
        await stack.enter_async_context(reader)
        source = SavedPages(PageFolder(args.from_pages)) if args.from_pages else await _web(args, keep, files, stack)
        progress = Progress("scraper", plan.rows, quiet=args.quiet, unit="URL", failed="without text")
        stack.enter_context(progress)
        frontier = Frontier(args.per_host, give_up=not args.via)
        scraper = Scraper(plan, claims, source, reader, leakage, progress, frontier, silence, settled)
        await scraper.run(args.concurrency)
    say(f"scraper: {scraper.summary()} -> {args.json_output_dir}", quiet=args.quiet)
    return 1 if claims.faults else 0


async def _web(
    args: argparse.Namespace, keep: PageFolder | None, files: OpenFiles, stack: AsyncExitStack
) -> PageSource:
    from src.retrieval.web.fetcher import Fetcher

    aside = stack.enter_context(temporary_folder(ASIDE, args.json_output_dir))
    fetcher = await stack.enter_async_context(Fetcher(limits_from(args, files.connections)))
    return Web(fetcher, aside, keep, args.via)
