"""Step: checks one claim: its pages from URLs, a scraped file or a search, then evidence, verdict and why.

The answer goes to stdout, progress to stderr. `--json` prints the whole record. `--page` writes the answer as an HTML
page for reading and sharing; no other file is written.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from src.atomic_file import write_whole
from src.check.asking import HOW, read_urls
from src.check.interruption import interruptible
from src.check.model_flags import add_check_model_flags, add_reference, models_from
from src.check.progress import Lines
from src.check.records import Asked, CheckedClaim, Road, Sources
from src.check.run import check_claim
from src.check.scraping import Scraping
from src.check.text import described
from src.errors import InputError
from src.report.claim_page import claim_page, view_of_check
from src.reranking.questions.flags import add_writer_flags, writer_flags
from src.reranking.select import Select
from src.retrieval.providers import PROVIDERS
from src.retrieval.scraping.flags import prefix, seconds
from src.runner.arguments import StepParser, WithDefaults, positive, refuse_unread, step
from src.runner.console import say, say_error
from src.runner.paths import check_output
from src.stance.selection import CHOSEN, FOUND

MODULE = "src.check"
_OF_QUESTIONS = ("retriever", "select", "reranker", "verdict", "top_k", "reference_corpus")
_OF_FETCHING = ("via", "allow_private", "deadline", "most_urls")
_FILES = ("urls", "knowledge_store", "exclude_urls", "reference_corpus")


def parser() -> argparse.ArgumentParser:
    flags = StepParser(prog=f"python -m {MODULE}", description=(__doc__ or "").split("\n\n")[0],
                       formatter_class=WithDefaults)  # fmt: skip
    add = flags.add_argument
    add("claim", help="what is to be checked, in quotes")
    add("--date", default="", help="day of the claim, as 25-7-2023 or 2023-07-25: later pages are refused")
    add("--speaker", default="", help="who said it")
    add("--road", choices=[*map(str, Road)], default=str(Road.QUESTIONS), help="how the verdict is found")
    add("--top_n", type=positive, default=CHOSEN, help="pairs of question and answer that are kept")
    add("--top_k", type=positive, default=FOUND, help="passages that are retrieved")
    add("--json", action="store_true", help="print the record as JSON")
    add("--page", type=Path, metavar="FILE.html", help="write the answer as a page, too, over an earlier one")
    add("--quiet", action="store_true", help="do not tell on stderr what is being done")
    _add_sources(flags)
    add_check_model_flags(flags)
    add_reference(flags)
    add_writer_flags(flags)
    return flags


def _add_sources(flags: argparse.ArgumentParser) -> None:
    add = flags.add_argument_group("where pages come from, one of three").add_argument
    add("--urls", type=Path, metavar="FILE", help="a URL a line; - is standard input")
    add("--knowledge_store", type=Path, metavar="FILE", help="<id>.json as the scraper writes it")
    add("--search", default="", metavar="PROVIDER", help=", ".join(one.form for one in PROVIDERS.values()))
    add = flags.add_argument_group("fetching pages").add_argument
    how = Scraping()
    add("--via", type=prefix, default=how.via, metavar="PREFIX", help="fetch PREFIX + URL, as from a web archive")
    add("--allow_private", action="store_true", help="fetch from private and loopback addresses too")
    add("--deadline", type=seconds, default=how.deadline, help="seconds for a URL with all attempts")
    add("--most_urls", type=positive, default=how.most_urls, help="of those that a search finds")
    add("--exclude_urls", type=Path, help="file of hosts and URLs to refuse, one a line")
    add("--keep_later_pages", action="store_true", help="keep pages dated after the claim")


@step
def main(argv: Sequence[str] | None = None) -> int:
    flags = parser()
    args = flags.parse_args(argv)
    try:
        _answer(_checked(args, flags), args)
    except KeyboardInterrupt:
        say_error("stopped; the answer is not complete")
        return 130
    return 0


def _checked(args: argparse.Namespace, flags: argparse.ArgumentParser) -> CheckedClaim:
    """Return the claim, checked as the flags say. Raises as `check_claim` does, and OutputError for the page."""
    if args.road == Road.PROGRAMS:
        refuse_unread(args, flags, [*_OF_QUESTIONS, *writer_flags()], f"changes nothing with --road {Road.PROGRAMS}")
    if args.knowledge_store:
        refuse_unread(args, flags, _OF_FETCHING, "changes nothing with --knowledge_store: no page is fetched")
    elif not args.search:
        refuse_unread(args, flags, ["most_urls"], "changes nothing without --search")
    asked = Asked(args.claim, _sources(args), args.date, args.speaker, Road(args.road), args.top_n, args.top_k,
                  Select(args.select))  # fmt: skip
    if args.page:
        check_output(args.page, {name: path for name in _FILES if (path := getattr(args, name))}, "page")
    models = models_from(args)
    with Lines(quiet=args.quiet) as lines:
        return interruptible(
            lambda is_cancelled: check_claim(
                asked, models=models, scraping=_scraping(args), tell=lines.tell, is_cancelled=is_cancelled
            )
        )


def _answer(checked: CheckedClaim, args: argparse.Namespace) -> None:
    """Print the answer in the requested form, and write the page if one is requested."""
    if args.json:
        say(msgspec.json.format(msgspec.json.encode(checked), indent=2).decode())
    else:
        say(described(checked))
    if args.page:
        write_whole(args.page, claim_page(view_of_check(checked)).encode())
        say(f"Page: {args.page}", quiet=args.json)


def _sources(args: argparse.Namespace) -> Sources:
    if sum(map(bool, (args.urls, args.search, args.knowledge_store))) > 1:
        raise InputError(f"more than one source of pages is named; {HOW}, one of them")
    return Sources(read_urls(args.urls) if args.urls else (), args.search, args.knowledge_store)


def _scraping(args: argparse.Namespace) -> Scraping:
    return Scraping(**{name: getattr(args, name) for name in Scraping.__struct_fields__})


if __name__ == "__main__":
    exit_code = main()
    sys.stdout.flush()
    os._exit(exit_code)  # models may still be loading in a thread, which can crash a normal interpreter exit
