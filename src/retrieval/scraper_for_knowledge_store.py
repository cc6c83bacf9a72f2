"""Step: scrape the web pages of each claim's URLs into sentences, one knowledge-store file a claim.

Reads `<claim_id>.tsv` (claim, type, url, query; no header) and writes `<claim_id>.json`: line k belongs to row k, and
`url2text` is `[]` where the page gave no text. `<claim_id>.log.jsonl` records what happened to each row. Flags and
files are the published ones.
"""

import argparse
import asyncio
import signal
from collections.abc import Coroutine, Sequence
from pathlib import Path

from src.retrieval.leakage.filters import Leakage, add_leakage_flags, leakage_from
from src.retrieval.scraping.claim_urls import ClaimUrls, missing_claims, plan_claims
from src.retrieval.scraping.flags import add_network_flags, add_page_flags
from src.retrieval.scraping.page_folder import PageFolder
from src.retrieval.scraping.plan import Plan, make_plan
from src.retrieval.scraping.run import scrape
from src.retrieval.scraping.scraper import STEP
from src.runner.arguments import add_range, step, step_parser
from src.runner.console import say

MODULE = STEP


def parser() -> argparse.ArgumentParser:
    flags = step_parser(__doc__, MODULE)
    flags.add_argument("-i", "--tsv_input_file", type=Path, required=True, help="<claim_id>.tsv, or a folder of them")
    flags.add_argument("-o", "--json_output_dir", type=Path, default=Path("output"), help="the knowledge store")
    flags.add_argument("--overwrite_out_file", dest="overwrite", action="store_true", help="as --overwrite")
    flags.add_argument("--retry_failed", action="store_true", help="fetch again what another day may bring")
    add_range(flags)
    add_page_flags(flags)
    add_leakage_flags(flags)
    add_network_flags(flags)
    return flags


@step
def main(argv: Sequence[str] | None = None) -> int:
    args = parser().parse_args(argv)
    leakage = leakage_from(args)
    claims = plan_claims(args, MODULE, leakage)
    plan = make_plan(claims, args)
    for note in (*plan.notes(retry=args.retry_failed), *_gaps(claims, args), *_filters(plan, args, leakage)):
        say(f"note: {note}", quiet=args.quiet)
    if args.dry_run or not plan.open:
        say(f"scraper: {plan.summary()}", quiet=args.quiet)
        return 0
    try:
        return asyncio.run(_until_stopped(scrape(args, plan, leakage)))
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


async def _until_stopped(scraping: Coroutine[object, object, int]) -> int:
    """Run the scraper; SIGTERM stops it as Ctrl-C does."""
    this = asyncio.current_task()
    if this:
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, this.cancel)
    return await scraping


def _gaps(claims: Sequence[ClaimUrls], args: argparse.Namespace) -> list[str]:
    missing = missing_claims(claims, args.start, args.end) if args.tsv_input_file.is_dir() else ""
    return [f"no TSV for claims {missing}"] if missing else []


def _filters(plan: Plan, args: argparse.Namespace, leakage: Leakage) -> list[str]:
    """Return notes on what is not filtered or checked in the claims to scrape."""
    notes = leakage.notes([claim.claim_id for claim in plan.open]) if plan.open else []
    pages = PageFolder(args.from_pages) if args.from_pages else None
    if pages and not all(pages.has_log(claim.claim_id) for claim in plan.open):
        notes.append(f"{args.from_pages} has no log of some claims: there the page of row k is taken to be file k")
    return notes


if __name__ == "__main__":
    raise SystemExit(main())
