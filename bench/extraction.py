"""Speed of text extraction, on real pages (`python -m bench.real_pages` brings them).

    python -m bench.extraction [--turns 5] [--resiliparse]

Each driver has its own process. They take turns on the same pages, one at a time:

    ours          `html_lines`, as the scraper calls it: trafilatura with its caches kept for 200 pages
    published     `trafilatura.extract` with `reset_caches` after each page
    resiliparse   the other extractor, on request, with recall (share of trafilatura's words that it finds) and
                  precision (share of its words that trafilatura found), mean over the pages that have text

Seconds are those of the processor. The lines of the first two must be the same on every page.

Limitations: each driver decodes the bytes itself, as the published scraper does. The published process does not hold
the spaCy model here, which would make `reset_caches`, a garbage collection, slower still.
"""

import argparse
import logging
import os
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import mean, median

import msgspec

from bench.real_pages import FOLDER
from src.atomic_file import write_whole

_ROOT = Path(__file__).resolve().parents[1]

Lines = list[str]


class Pass(msgspec.Struct):
    """Measurements of one turn of a driver over the pages: seconds and lines of each page, resident megabytes at the
    end.
    """

    seconds: list[float]
    lines: list[Lines]
    megabytes: float


class SetResult(msgspec.Struct):
    """Seconds of every turn, and medians. `ratio` is the time relative to this project's, over all pages and for the
    median page.
    """

    pages: int
    megabytes_of_pages: float
    seconds: dict[str, list[float]]
    pages_per_second: dict[str, float]
    ratio: dict[str, float]
    ratio_of_median_page: dict[str, float]
    resident_megabytes: dict[str, float]
    identical_pages: int
    recall: float | None = None
    precision: float | None = None
    pages_half_lost: float | None = None


def main() -> None:
    args = _parser().parse_args()
    drivers = ["published", "ours"] + ["resiliparse"] * args.resiliparse
    sets = {
        "news": sorted((args.pages / "html").rglob("*.htm*")),
        "documentation": sorted((args.pages / "docs").rglob("*.htm*")),
        "sample": sorted((_ROOT / "data_store" / "sample" / "pages").rglob("*.html")),
    }
    results = {name: measure(paths, drivers, args.turns) for name, paths in sets.items() if paths}
    for name, result in results.items():
        print(
            f"\n{name}: {result.pages} pages, {result.megabytes_of_pages} MB; {result.identical_pages} with our lines"
        )
        print(f"{'':14}{'pages/s':>9}{'times ours':>12}{'median page':>13}{'MB':>6}")
        for driver, speed in result.pages_per_second.items():
            ratios = f"{result.ratio[driver]:12.2f}{result.ratio_of_median_page[driver]:13.2f}"
            print(f"{driver:14}{speed:9.1f}{ratios}{result.resident_megabytes[driver]:6.0f}")
        if result.recall is not None:
            print(f"resiliparse: recall {result.recall}, precision {result.precision}", end="")
            print(f", half of the words or more lost on {result.pages_half_lost:.1%} of the pages")
    write_whole(args.json, msgspec.json.format(msgspec.json.encode(results)) + b"\n")


def measure(paths: Sequence[Path], drivers: Sequence[str], turns: int) -> SetResult:
    """Run the drivers in turns. Raises AssertionError when the extracted lines differ from those of the
    published way.
    """
    passes: dict[str, list[Pass]] = {driver: [] for driver in drivers}
    with_spawn = get_context("spawn")
    pools = {driver: ProcessPoolExecutor(1, with_spawn) for driver in drivers}
    for driver, pool in pools.items():
        pool.submit(run, driver, paths[:5]).result()
    for _ in range(turns):
        for driver, pool in pools.items():
            passes[driver].append(pool.submit(run, driver, paths).result())
    for pool in pools.values():
        pool.shutdown()
    seconds = {driver: [round(sum(each.seconds), 3) for each in done] for driver, done in passes.items()}
    totals = {driver: median(each) for driver, each in seconds.items()}
    typical = {driver: median(median(each.seconds) for each in done) for driver, done in passes.items()}
    lines = {driver: done[-1].lines for driver, done in passes.items()}
    same = sum(ours == theirs for ours, theirs in zip(lines["ours"], lines["published"], strict=True))
    assert same == len(paths), f"other lines than published on {len(paths) - same} of {len(paths)} pages"
    result = SetResult(
        pages=len(paths),
        megabytes_of_pages=round(sum(path.stat().st_size for path in paths) / 1e6, 1),
        seconds=seconds,
        pages_per_second={driver: round(len(paths) / total, 1) for driver, total in totals.items()},
        ratio={driver: round(total / totals["ours"], 2) for driver, total in totals.items()},
        ratio_of_median_page={driver: round(each / typical["ours"], 2) for driver, each in typical.items()},
        resident_megabytes={driver: done[-1].megabytes for driver, done in passes.items()},
        identical_pages=same,
    )
    if "resiliparse" in lines:
        _compare(lines["published"], lines["resiliparse"], result)
    return result


def run(driver: str, paths: Sequence[Path]) -> Pass:
    """Run one turn of a driver, in a process of its own."""
    logging.disable(logging.CRITICAL)
    extract = _drivers()[driver]()
    seconds, lines = [], []
    for path in paths:
        page = path.read_bytes()
        began = time.process_time()
        text = extract(page)
        seconds.append(time.process_time() - began)
        lines.append(text)
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return Pass(seconds, lines, round(pages * os.sysconf("SC_PAGE_SIZE") / 1e6))


def _drivers() -> dict[str, Callable[[], Callable[[bytes], Lines]]]:
    from src.retrieval.pages.html_text import html_lines

    return {
        "ours": lambda: html_lines,
        "published": _published,
        "resiliparse": lambda: lambda page: html_lines(page, "resiliparse"),
    }


def _published() -> Callable[[bytes], Lines]:
    import trafilatura
    from trafilatura.meta import reset_caches

    def extract(page: bytes) -> Lines:
        text = trafilatura.extract(page)
        reset_caches()
        return text.split("\n") if text else []

    return extract


def _compare(expected: list[Lines], actual: list[Lines], result: SetResult) -> None:
    recall, precision = [], []
    for theirs, ours in zip(map(_words, expected), map(_words, actual), strict=True):
        common = (theirs & ours).total()
        recall += [common / theirs.total()] if theirs else []
        precision += [common / ours.total()] if ours else []
    result.recall, result.precision = round(mean(recall), 3), round(mean(precision), 3)
    result.pages_half_lost = round(mean(share <= 0.5 for share in recall), 3)


def _words(lines: Lines) -> Counter[str]:
    return Counter(word for line in lines for word in re.findall(r"\w+", line))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.extraction", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--pages", type=Path, default=FOLDER)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--resiliparse", action="store_true", help="also the faster extractor, where it is installed")
    parser.add_argument("--json", type=Path, default=_ROOT / "bench" / "results" / "extraction.json")
    return parser


if __name__ == "__main__":
    main()
