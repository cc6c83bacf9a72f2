"""Step: search the web for each claim, and write the URLs to one file a claim, in the published format.

Reads the claims, asks a provider, and writes `<claim_id>.tsv` for the scraper. Columns: claim, type of query, URL,
query; no header. The country and the last day that a page may be from are the claim's. API keys come from the
environment.
"""

import argparse
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from src.errors import InputError, one_line
from src.llm import get_llm
from src.llm.flags import add_model_flags, model_file, options_from
from src.records import Claim
from src.retrieval.leakage.filters import Leakage, add_leakage_flags, leakage_from
from src.retrieval.providers import PROVIDERS, SearchProvider, SearchQuery, get_provider, lacking, provider_file
from src.retrieval.searching.claim_search import ClaimSearch
from src.retrieval.searching.queries import KINDS, claim_queries
from src.retrieval.searching.questions import Questions, write_questions
from src.retrieval.searching.search_output import ClaimTarget, targets
from src.runner.arguments import add_range, in_range, natural, positive, step, step_parser
from src.runner.console import Progress, say, say_error
from src.runner.output import Failure
from src.store import read_claims

MODULE = "src.retrieval.search"
PAGE = 10  # results a page, as in the published search
AGAIN = " (--overwrite makes them again)"
FILE_FORMS = 'PATH: lines URL (for every claim) or CLAIM_ID<tab>URL, or JSON lines {"claim_id": 0, "urls": ["..."]}'


def parser() -> argparse.ArgumentParser:
    flags = step_parser(__doc__, MODULE)
    forms = ", ".join(provider.form for provider in PROVIDERS.values())
    flags.add_argument(
        "-o", "--output", type=Path, default=Path("data_store/dev_store"), help="folder of <claim_id>.tsv"
    )
    flags.add_argument(
        "-p", "--provider", required=True, help=f"{forms}; NAME@BASE_URL for another address. {FILE_FORMS}"
    )
    flags.add_argument("--queries", nargs="*", choices=KINDS, default=list(KINDS), help="what is asked for a claim")
    flags.add_argument("--questions", type=natural, default=0, help="questions of --llm to ask as well")
    flags.add_argument("--pages", type=positive, default=3, help="pages of ten results for each query")
    flags.add_argument("--country", help="ISO code, instead of each claim's own (published: US)")
    add_range(flags)
    add_leakage_flags(flags, Path("data/dev.json"))
    add_model_flags(flags)
    return flags


@step
def main(argv: Sequence[str] | None = None) -> int:
    args = parser().parse_args(argv)
    if args.questions and not args.llm:
        raise InputError("--questions needs --llm")
    claims = in_range(read_claims(args.claim_file), args.start, args.end, args.claim_file)
    leakage = leakage_from(args)
    provider = get_provider(args.provider, args.timeout)
    files = {**provider_file(args.provider), **model_file(args.llm)}
    if args.exclude_urls:
        files["exclude_urls"] = args.exclude_urls
    every = targets(claims, args, files)
    left = [target for target in every if args.overwrite or not target.is_done()]
    if args.dry_run or not left:
        missing = lacking(args.provider) if left else ""
        if missing:
            say(f"note: {missing}", quiet=args.quiet)
        say(_plan(args, left, len(every) - len(left), provider), quiet=args.quiet)
        return 0
    if missing := lacking(args.provider):
        raise InputError(missing)
    return _run(args, left, len(every), leakage, provider)


def _plan(args: argparse.Namespace, left: Sequence[ClaimTarget], done: int, provider: SearchProvider) -> str:
    each = provider.requests(args.pages * PAGE)
    if each:
        queries = sum(len(claim_queries(target.claim, args.queries)) + args.questions for target in left)
        what = f"{queries} queries, at most {queries * each} requests to {args.provider}"
    else:
        urls = sum(len(provider.search(SearchQuery(target.claim.claim_id, ""))) for target in left)
        what = f"{urls} URLs in {args.provider}"
    return f"search: {len(left)} claims to search for, {what}; {done} claims are already there{AGAIN * bool(done)}"


def _run(
    args: argparse.Namespace, left: Sequence[ClaimTarget], total: int, leakage: Leakage, provider: SearchProvider
) -> int:
    model, ask = _question_writer(args)
    search = ClaimSearch(provider, leakage, args.queries, args.pages * PAGE, args.country, ask)
    for note in leakage.notes([target.claim.claim_id for target in left]):
        say(f"note: {note}", quiet=args.quiet)
    given = not provider.requests(args.pages * PAGE)
    failures: list[Failure] = []
    counts: Counter[str] = Counter()
    with Progress("search", total, total - len(left), quiet=args.quiet) as progress:
        for target in left:
            with target.held() as progress_file:
                began = time.perf_counter()
                found = search.attempt(target.claim)
                notes = leakage.notes([target.claim.claim_id])
                seconds = time.perf_counter() - began
                target.write(progress_file, found, args, seconds, notes=notes, deterministic=given, model=model)
            failures += found.failures[:1]
            counts.update(found.counts)
            progress.add(1, bool(found.failures))
    summary = f"{len(left)} claims, {counts['urls']} URLs, {counts['dropped']} refused -> {args.output}"
    say(f"search: {summary}", quiet=args.quiet)
    if failures:
        first = f"the first, claim {failures[0].claim_id}: {one_line(failures[0].message)}"
        say_error(f"search: {len(failures)} of {total} claims failed; start again to try them again; {first}")
    return 1 if failures else 0


def _question_writer(args: argparse.Namespace) -> tuple[object, Callable[[Claim], Questions]]:
    """Return the model's entry for the manifest, and the function that writes a claim's questions."""
    if not args.questions:
        return None, lambda _: Questions()
    model = get_llm(args.llm, options_from(args))
    return model.info, partial(write_questions, model, number=args.questions)


if __name__ == "__main__":
    raise SystemExit(main())
