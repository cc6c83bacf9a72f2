"""A web in memory, and the scraper run on it: pages are words, reading them gives them back as sentences."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from src.pipeline.collect import CollectSettings, collect_plan
from src.records import Document, UrlRow
from src.retrieval.leakage import Leakage
from src.retrieval.pages.reader import PageText
from src.retrieval.scraper_for_knowledge_store import main
from src.retrieval.scraping.claim_output import FileRun, OpenClaims
from src.retrieval.scraping.frontier import CircuitBreaker, Frontier, Task, host_of
from src.retrieval.scraping.page_log import PageLog
from src.retrieval.scraping.plan import SharedUrls
from src.retrieval.scraping.scraper import RowsInMemory, Scraper
from src.retrieval.url_rows import encode_url_rows, read_url_rows
from src.retrieval.web.download import Download
from src.runner.console import Progress
from src.store import read_records


class SmallWeb:
    """A PageSource: `pages` maps URLs to their text; a URL that is not there gets 404.

    Hosts that begin with `dead` give no answer, `stuck` ones hang after their headers. A text that is an exception is
    raised. `moved` has the URLs that lead elsewhere; `fetched` counts what was asked for.
    """

    def __init__(self, pages: Mapping[str, str | Exception], scratch: Path, dead: Sequence[str] = ("dead",)) -> None:
        self.pages = pages
        self.dead = tuple(dead)
        self.moved: dict[str, str] = {}
        self.fetched: Counter[str] = Counter()
        self.scratch = scratch

    def host(self, url: str) -> str:
        return host_of(url)

    async def get(self, task: Task) -> Download:
        self.fetched[task.url] += 1
        await asyncio.sleep(0)
        page = self.pages.get(task.url)
        if isinstance(page, Exception):
            raise page
        if task.host.startswith(self.dead):
            return Download(url=task.url, final_url=task.url, reason="timeout: connect", transient=True, attempts=1)
        if task.host.startswith("stuck"):
            return Download(url=task.url, final_url=task.url, status=200, reason="timeout: read", transient=True)
        if page is None:
            return Download(url=task.url, final_url=task.url, status=404, reason="HTTP 404")
        path = self.scratch / f"{abs(hash(task.url))}"
        path.write_text(page, encoding="utf-8")
        final = self.moved.get(task.url, task.url)
        return Download(url=task.url, final_url=final, path=path, status=200, bytes=len(page))

    def done(self, task: Task, download: Download, text: PageText) -> None:
        if download.path:
            download.path.unlink(missing_ok=True)


class SmallReader:
    """A page's lines are its sentences; a last line `date: 2020-01-31` is its date."""

    async def read(self, path: Path, *, url: str, content_type: str) -> PageText:
        await asyncio.sleep(0)
        lines = path.read_text(encoding="utf-8").splitlines()
        date = lines.pop().removeprefix("date: ") if lines and lines[-1].startswith("date: ") else None
        return PageText(lines, "" if lines else "no text found", "text/html", "trafilatura", "utf-8", date)


def write_tsv(folder: Path, claim_id: int, urls: Sequence[str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{claim_id}.tsv"
    path.write_bytes(encode_url_rows(UrlRow(str(claim_id), "claim", url, "some words") for url in urls))
    return path


def arguments(urls: Path, store: Path, *flags: str) -> CollectSettings:
    return main.parse(["-i", str(urls), "-o", str(store), "--quiet", *flags])


def scrape(args: CollectSettings, web: SmallWeb, concurrency: int = 4, per_host: int = 2, early: int = 200) -> Scraper:
    """Runs the scraper to its end; raises what it raises."""
    plan, leakage, _ = collect_plan(args)
    progress = Progress("scraper", plan.rows, quiet=True)
    sink = OpenClaims(plan.open, FileRun(args, args.overwrite, args.retry_failed), leakage, progress, early=early)
    web.scratch.mkdir(parents=True, exist_ok=True)

    async def run() -> Scraper:
        frontier, breaker = Frontier(per_host, 50), CircuitBreaker(may_stop=not args.retry_failed)
        scraper = Scraper(sink, web, SmallReader(), leakage, frontier, breaker)
        rows = ((claim.claim_id, read_url_rows(claim.tsv)) for claim in plan.open)
        await scraper.run(rows, plan.shared, concurrency, answered_before=plan.answered)
        return scraper

    return asyncio.run(run())


def scrape_in_memory(rows: Sequence[UrlRow], leakage: Leakage, web: SmallWeb) -> tuple[RowsInMemory, list[PageLog]]:
    """Returns the rows of claim 0, and their logs as they were told."""
    page_logs: list[PageLog] = []
    sink, shared = RowsInMemory(page_logs.append), SharedUrls()
    shared.add(0, rows)
    web.scratch.mkdir(parents=True, exist_ok=True)

    async def run() -> None:
        scraper = Scraper(sink, web, SmallReader(), leakage, Frontier(2, 50), CircuitBreaker(may_stop=False))
        await scraper.run([(0, rows)], shared.places, 4)

    asyncio.run(run())
    return sink, page_logs


def texts(store: Path, claim_id: int) -> list[list[str]]:
    return [document.url2text for document in read_records(store / f"{claim_id}.json", Document)]
