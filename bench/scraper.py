"""The scraper beside the published way of working, on loopback: 200 hosts, 50 to 200 ms latency, real pages.

    python -m bench.real_pages                          # once
    python -m bench.scraper [--urls 1000] [--turns 3] [--pages FOLDER]

Fetching, in turns, pages stored and not read:

    ours        the scraper as it is: event loop, frontier, safety checks, journal, log, pages kept
    published   one process, one URL after another, four downloads of each (three by requests, one by trafilatura)

Then ours alone: the same with four of the 200 hosts silent for ever; pages to sentences with two workers, beside what
the same two workers read without any network (the limit); memory over all pages of the run.

Limitations: the published way is timed on a few URLs, for it takes minutes on all; the server takes its part of the
same cores.
"""

import argparse
import asyncio
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

import msgspec

from bench.loopback_web import LoopbackWeb
from src.atomic_file import write_whole
from src.pipeline.collect import CollectSettings
from src.records import UrlRow
from src.retrieval import scraper_for_knowledge_store as step
from src.retrieval.leakage import Leakage
from src.retrieval.pages.reader import PageText, Reading
from src.retrieval.pages.workers import PageWorkers
from src.retrieval.scraping.claim_output import FileRun, OpenClaims
from src.retrieval.scraping.frontier import CircuitBreaker, Frontier
from src.retrieval.scraping.plan import make_plan, plan_claims
from src.retrieval.scraping.scraper import Scraper
from src.retrieval.scraping.sources import PageFolder, Web
from src.retrieval.url_rows import encode_url_rows, read_url_rows
from src.retrieval.web.download import Limits
from src.retrieval.web.fetcher import Fetcher
from src.runner.console import Progress

_ROOT = Path(__file__).resolve().parents[1]
DEADLINE = 5.0
HANGING = 4  # of 200 hosts


class Result(msgspec.Struct):
    """URLs a second of every turn by driver, the medians' ratio, and the figures of the single runs."""

    urls: int
    turns: int
    fetched: dict[str, list[float]]
    ratio: float
    hanging_extra_seconds: float
    deadline: float
    to_sentences: list[float]
    reading_limit: list[float]
    of_limit: float


class Unread:
    """Page reader that does not parse the page."""

    async def read(self, path: Path, *, url: str, content_type: str) -> PageText:
        return PageText(reason="not read", media_type="text/html")


def main() -> None:
    args = _parser().parse_args()
    pages = sorted(path for path in args.pages.rglob("*") if path.suffix in (".html", ".pdf"))
    html = [page for page in pages if page.suffix == ".html"]
    with LoopbackWeb(html) as web:
        drivers: dict[str, Callable[[], float]] = {
            "ours": lambda: fetch(web.urls(args.urls)),
            "published": lambda: published(web.urls(args.published_urls)),
        }
        fetched: dict[str, list[float]] = {name: [] for name in drivers}
        for turn in range(args.turns):
            for name in list(drivers) if turn % 2 == 0 else reversed(drivers):
                fetched[name].append(drivers[name]())
        whole, limit = list[float](), list[float]()
        for _ in range(args.turns):
            whole.append(to_sentences(web.urls(args.read_urls)))
            limit.append(reading(html, args.read_urls))
    with LoopbackWeb(html, hanging=HANGING) as web:
        hanging = args.urls / fetch(web.urls(args.urls))
    result = Result(
        urls=args.urls,
        turns=args.turns,
        fetched=fetched,
        ratio=median(fetched["ours"]) / median(fetched["published"]),
        hanging_extra_seconds=hanging - args.urls / median(fetched["ours"]),
        deadline=DEADLINE,
        to_sentences=whole,
        reading_limit=limit,
        of_limit=median(whole) / median(limit),
    )
    report(result)
    write_whole(args.json, msgspec.json.format(msgspec.json.encode(result), indent=2) + b"\n")


def fetch(urls: Sequence[str]) -> float:
    """URLs a second, pages stored, none read."""
    with tempfile.TemporaryDirectory() as folder:
        args = _arguments(Path(folder), urls, "--keep_pages", f"{folder}/pages", "--deadline", str(DEADLINE))
        claims = plan_claims(args.tsv_input_file, args.json_output_dir, args.range, args.pages.reading, Leakage())
        plan = make_plan(claims)

        async def run() -> None:
            limits = Limits(deadline=DEADLINE, allow_private=True)
            keep = PageFolder(Path(folder) / "pages")
            async with Fetcher(limits) as fetcher:
                web = Web(fetcher, Path(folder), keep)
                progress = Progress("scraper", len(urls), quiet=True)
                sink = OpenClaims(plan.open, FileRun(args), Leakage(), progress)
                scraper = Scraper(sink, web, Unread(), Leakage(), Frontier(4), CircuitBreaker())
                rows = ((claim.claim_id, read_url_rows(claim.tsv)) for claim in plan.open)
                await scraper.run(rows, plan.shared, args.network.concurrency)

        began = time.perf_counter()
        asyncio.run(run())
        return len(urls) / (time.perf_counter() - began)


def published(urls: Sequence[str]) -> float:
    """Return URLs a second when each is downloaded as often as the published scraper does it, one after another."""
    import requests
    import trafilatura

    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        for number, url in enumerate(urls):
            for _ in range(3):
                requests.get(url, timeout=5)
            html = trafilatura.fetch_url(url)
            Path(folder, f"{number}.html").write_text(html or "", encoding="utf-8")
        return len(urls) / (time.perf_counter() - began)


def to_sentences(urls: Sequence[str]) -> float:
    """URLs a second of the whole step with two workers, start-up of the workers included."""
    with tempfile.TemporaryDirectory() as folder:
        flags = _flags(Path(folder), urls, "--workers", "2", "--allow_private")
        began = time.perf_counter()
        assert step.main(flags) == 0
        return len(urls) / (time.perf_counter() - began)


def reading(pages: Sequence[Path], count: int) -> float:
    """Pages a second that two workers read from the disk."""

    async def run() -> float:
        async with PageWorkers(2, Reading()) as workers:
            turns = iter(range(count))

            async def work() -> None:
                for number in turns:
                    await workers.read(pages[number % len(pages)], url="http://a.example/", content_type="text/html")

            began = time.perf_counter()
            await asyncio.gather(*(work() for _ in range(8)))
            return count / (time.perf_counter() - began)

    return asyncio.run(run())


def report(result: Result) -> None:
    print(f"fetched and stored, {result.urls} URLs, median of {result.turns} turns:")
    for name, speeds in result.fetched.items():
        print(f"  {name:10} {median(speeds):7.1f} URLs/s")
    print(f"  ratio      {result.ratio:7.0f}")
    print(f"{HANGING} of 200 hosts silent: {result.hanging_extra_seconds:.1f} s longer (deadline {result.deadline} s)")
    print(f"to sentences, two workers: {median(result.to_sentences):.1f} URLs/s")
    print(f"reading alone, two workers: {median(result.reading_limit):.1f} pages/s ({result.of_limit:.0%} reached)")


def _flags(folder: Path, urls: Sequence[str], *more: str) -> list[str]:
    write_whole(folder / "urls" / "0.tsv", encode_url_rows(UrlRow("0", "claim", url, "words") for url in urls))
    return ["-i", f"{folder}/urls", "-o", f"{folder}/store", "--quiet", *more]


def _arguments(folder: Path, urls: Sequence[str], *more: str) -> CollectSettings:
    return step.main.parse(_flags(folder, urls, *more))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.scraper", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--pages", type=Path, default=_ROOT / "out" / "bench" / "pages" / "html")
    parser.add_argument("--urls", type=int, default=1000)
    parser.add_argument("--read_urls", type=int, default=2000, help="URLs of the runs that read pages")
    parser.add_argument("--published_urls", type=int, default=30)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--json", type=Path, default=_ROOT / "bench" / "results" / "scraper.json")
    return parser


if __name__ == "__main__":
    os.chdir(_ROOT)
    main()
