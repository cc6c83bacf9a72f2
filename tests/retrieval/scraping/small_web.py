"""A web in memory, and the scraper run on it: pages are words, reading them gives them back as sentences."""

import asyncio
from argparse import Namespace
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from src.records import Document, UrlRow
from src.retrieval.leakage.filters import Leakage, leakage_from
from src.retrieval.pages.reader import PageText
from src.retrieval.scraper_for_knowledge_store import parser
from src.retrieval.scraping.circuit_breaker import Silence
from src.retrieval.scraping.claim_urls import plan_claims
from src.retrieval.scraping.frontier import Frontier, Task, host_of
from src.retrieval.scraping.open_claims import OpenClaims
from src.retrieval.scraping.plan import make_plan
from src.retrieval.scraping.scraper import STEP, Scraper
from src.retrieval.url_rows import encode_url_rows
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


def arguments(urls: Path, store: Path, *flags: str) -> Namespace:
    return parser().parse_args(["-i", str(urls), "-o", str(store), "--quiet", *flags])


def scrape(args: Namespace, web: SmallWeb, concurrency: int = 4, per_host: int = 2, early: int = 200) -> Scraper:
    """Runs the scraper to its end; raises what it raises."""
    leakage: Leakage = leakage_from(args)
    plan = make_plan(plan_claims(args, STEP, leakage), args)
    claims = OpenClaims(plan.open, args, leakage, early=early)
    progress = Progress("scraper", plan.rows, quiet=True)
    web.scratch.mkdir(parents=True, exist_ok=True)

    async def run() -> Scraper:
        frontier, silence = Frontier(per_host, 50), Silence(patience=not args.retry_failed)
        scraper = Scraper(plan, claims, web, SmallReader(), leakage, progress, frontier, silence)
        await scraper.run(concurrency)
        return scraper

    return asyncio.run(run())


def texts(store: Path, claim_id: int) -> list[list[str]]:
    return [document.url2text for document in read_records(store / f"{claim_id}.json", Document)]
