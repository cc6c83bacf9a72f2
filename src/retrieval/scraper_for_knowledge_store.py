"""Step: scrape the web pages of each claim's URLs into sentences, one knowledge-store file a claim.

Reads `<claim_id>.tsv` (claim, type, url, query; no header) and writes `<claim_id>.json`: line k belongs to row k, and
`url2text` is `[]` where the page gave no text. `<claim_id>.log.jsonl` records what happened to each row. Flags and
files are the published ones.
"""

import asyncio
import signal
from collections.abc import Coroutine

from src.pipeline.collect import CollectSettings, collect, collect_plan
from src.runner.console import say
from src.runner.step import step


@step(CollectSettings)
def main(settings: CollectSettings) -> int:
    plan, leakage, notes = collect_plan(settings)
    for note in notes:
        say(f"note: {note}", quiet=settings.quiet)
    if settings.dry_run or not plan.open:
        say(f"scraper: {plan.summary()}", quiet=settings.quiet)
        return 0
    try:
        return asyncio.run(_until_stopped(collect(settings, plan, leakage)))
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


async def _until_stopped(scraping: Coroutine[object, object, int]) -> int:
    """Run the scraper; SIGTERM stops it as Ctrl-C does."""
    this = asyncio.current_task()
    if this:
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, this.cancel)
    return await scraping


if __name__ == "__main__":
    raise SystemExit(main())
