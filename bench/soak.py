"""Memory and open files of the scraper over thousands of pages.

    python -m bench.real_pages                              # once
    python -m bench.soak [--claims 20] [--urls 1000] [--pages FOLDER]

Scrapes pages of a loopback web in a process of its own with two workers, and looks at it fifty times a second.

Limitations: memory is what the processes hold at once (RSS); what they share is counted for each.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec
import psutil

from bench.loopback_web import LoopbackWeb
from src.atomic_file import write_whole
from src.records import UrlRow
from src.retrieval.url_rows import encode_url_rows

_ROOT = Path(__file__).resolve().parents[1]
MODULE = "src.retrieval.scraper_for_knowledge_store"


class Look(msgspec.Struct, frozen=True):
    """Bytes of the scraper, bytes of its workers together, open files of the scraper."""

    scraper: int
    workers: int
    files: int


class Result(msgspec.Struct):
    """The most that was seen in the first and in the second half of the run."""

    pages: int
    seconds: float
    first_half: Look
    second_half: Look


def soak(folder: Path, pages: Sequence[Path], claims: int, urls: int) -> Result:
    """Scrape `claims` claims of `urls` URLs each; sample memory and files from the first finished claim to the last but
    one.
    """
    with LoopbackWeb(pages, latency=(0.0, 0.01)) as web:
        addresses = web.urls(claims * urls)
        for claim_id in range(claims):
            rows = [UrlRow("", "claim", url, "words") for url in addresses[claim_id * urls : (claim_id + 1) * urls]]
            write_whole(folder / "urls" / f"{claim_id}.tsv", encode_url_rows(rows))
        flags = ["-i", f"{folder}/urls", "-o", f"{folder}/store", "--workers", "2", "--allow_private", "--quiet"]
        flags += ["--concurrency", "32"]
        began, looks = time.monotonic(), list[Look]()
        process = subprocess.Popen([sys.executable, "-m", MODULE, *flags], cwd=_ROOT)
        while process.poll() is None:
            if (folder / "store" / "0.json").exists() and not (folder / "store" / f"{claims - 2}.json").exists():
                looks += _look(process.pid)
            time.sleep(0.02)
        seconds = time.monotonic() - began
    assert process.returncode == 0
    assert len(list((folder / "store").glob("*.log.jsonl"))) == claims
    half = len(looks) // 2
    return Result(claims * urls, seconds, _most(looks[:half]), _most(looks[half:]))


def _look(pid: int) -> list[Look]:
    try:
        scraper = psutil.Process(pid)
        workers = sum(worker.memory_info().rss for worker in scraper.children())
        return [Look(scraper.memory_info().rss, workers, scraper.num_fds())]
    except psutil.NoSuchProcess:
        return []


def _most(looks: Sequence[Look]) -> Look:
    return Look(
        max(look.scraper for look in looks), max(look.workers for look in looks), max(look.files for look in looks)
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--pages", type=Path, default=_ROOT / "out" / "bench" / "pages" / "html")
    parser.add_argument("--claims", type=int, default=20)
    parser.add_argument("--urls", type=int, default=1000)
    parser.add_argument("--json", type=Path, default=_ROOT / "bench" / "results" / "soak.json")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        result = soak(Path(folder), sorted(args.pages.rglob("*.html")), args.claims, args.urls)
    print(f"{result.pages} pages in {result.seconds:.0f} s; the most that was held, in MB:")
    for name, look in (("first half", result.first_half), ("second half", result.second_half)):
        scraper, workers = look.scraper / 1e6, look.workers / 1e6
        print(f"  {name:12} scraper {scraper:.0f}, workers {workers:.0f}; {look.files} open files")
    write_whole(args.json, msgspec.json.format(msgspec.json.encode(result), indent=2) + b"\n")


if __name__ == "__main__":
    main()
