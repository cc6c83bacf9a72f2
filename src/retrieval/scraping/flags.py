"""Command-line flags of scraping, and the settings of fetcher and reader that they give."""

import math
import os
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path
from urllib.parse import urlsplit

from src.retrieval.pages.reader import Reading
from src.retrieval.web.limits import Limits
from src.runner.arguments import positive

MOST_MB = 1000


def add_network_flags(flags: ArgumentParser) -> None:
    """Add the flags for fetching pages. None of them changes the text of a page that was fetched."""
    limits = Limits()
    flags.add_argument("--concurrency", type=positive, default=256, help="pages in work at once")
    flags.add_argument("--per_host", type=positive, default=4, help="downloads at once from one host")
    flags.add_argument("--connect_timeout", type=seconds, default=limits.connect, help="seconds to reach a server")
    flags.add_argument("--read_timeout", type=seconds, default=limits.read, help="seconds between bytes")
    flags.add_argument("--deadline", type=seconds, default=limits.deadline,
                       help="seconds for a URL with all attempts and redirects")  # fmt: skip
    flags.add_argument("--attempts", type=positive, default=limits.attempts, help="attempts at a URL")
    flags.add_argument("--max_mb", type=megabytes, default=limits.max_bytes / 1e6, help="largest page, in megabytes")
    flags.add_argument("--robots", action="store_true", help="obey robots.txt")
    flags.add_argument("--user_agent", default=limits.user_agent, help="how the scraper names itself")
    flags.add_argument("--allow_private", action="store_true", help="fetch from private and loopback addresses too")
    flags.add_argument("--via", type=prefix, default="", metavar="PREFIX",
                       help="fetch PREFIX + URL, such as https://web.archive.org/web/2020id_/")  # fmt: skip


def limits_from(args: Namespace, open_files: int) -> Limits:
    """Return the fetcher's limits. Raises InputError when the user agent cannot be sent."""
    return Limits(
        open_files=open_files,
        connect=args.connect_timeout,
        read=args.read_timeout,
        deadline=args.deadline,
        attempts=args.attempts,
        max_bytes=int(args.max_mb * 1e6),
        user_agent=args.user_agent,
        allow_private=args.allow_private,
        robots=args.robots,
    )


def add_page_flags(flags: ArgumentParser) -> None:
    """Add the flags for storing and reading pages."""
    pages = flags.add_mutually_exclusive_group()
    pages.add_argument("--keep_pages", type=Path, metavar="FOLDER", help="keep the pages as they came")
    pages.add_argument("--from_pages", type=folder, metavar="FOLDER", help="read kept pages, not the web")
    flags.add_argument("--workers", type=positive, default=os.cpu_count() or 1, help="processes that read pages")
    flags.add_argument("--page_seconds", type=seconds, default=30.0, help="seconds to read one page")
    flags.add_argument("--extractor", default="trafilatura", metavar="trafilatura|resiliparse",
                       help="what finds the text of HTML; resiliparse is faster and finds other text")  # fmt: skip
    flags.add_argument("--splitter", default="punkt", metavar="punkt|spacy:NAME",
                       help="what cuts lines into sentences; published: spacy:en_core_web_lg, which "
                       "python -m spacy download en_core_web_lg brings from GitHub")  # fmt: skip
    flags.add_argument("--unique", action="store_true", help="drop sentences that a page repeats")


def reading_from(args: Namespace) -> Reading:
    return Reading(extractor=args.extractor, splitter=args.splitter, unique=args.unique)


def seconds(text: str) -> float:
    """Return a finite number above 0 (argparse type)."""
    value = float(text)
    if not 0 < value < math.inf:
        raise ArgumentTypeError(f"{value} is not above 0 and finite")
    return value


def megabytes(text: str) -> float:
    """Return a size of at most `MOST_MB` megabytes (argparse type)."""
    value = seconds(text)
    if value > MOST_MB:
        raise ArgumentTypeError(f"{value} is more than {MOST_MB}")
    return value


def prefix(text: str) -> str:
    """Return a prefix that makes a web address of the URL after it, or "" (argparse type)."""
    try:
        whole = urlsplit(f"{text}https://page.example/")
        good = urlsplit(text).hostname and whole.scheme in ("http", "https") and whole.port != 0
    except ValueError:  # such as a port with letters, where the last slash was left out
        good = False
    if text and not good:
        raise ArgumentTypeError(f"{text!r} is not the beginning of an address, such as https://archive.example/web/")
    return text


def folder(text: str) -> Path:
    """Return the path of an existing folder (argparse type)."""
    path = Path(text)
    if not path.is_dir():
        raise ArgumentTypeError(f"{text!r} is no folder")
    return path
