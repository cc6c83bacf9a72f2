"""Pages of one claim as a knowledge store: from a search, from URLs, or from a file that was scraped earlier."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from src.check.records import CheckRequest, ProgressEvent, Sources, Stage
from src.check.run_context import RunContext
from src.check.scraping import Scraping, scrape_pages
from src.errors import StoreError
from src.knowledge_store import Store, StoreInMemory
from src.records import Claim, Document, UrlRow
from src.retrieval.claim_search import GIVEN, KINDS, ClaimSearch
from src.retrieval.leakage import Leakage, leakage_of, refusals
from src.retrieval.providers import SearchProvider, SearchQuery, SearchResult, get_provider
from src.retrieval.scraping.page_log import PageLog, log_path
from src.retrieval.scraping.plan import logs_of
from src.runner.console import how_many
from src.store import read_records

NO_DATES = "the date of the claim has no effect: {} has no scraping log, so that nobody knows how old its pages are"
RESULTS = 10  # per query: one page of results; the search for a split takes three


class Pages(NamedTuple):
    """Pages of a claim.

    `store`: knowledge store with the pages, under claim_id 0.
    `refused`: for each page of the store, why it must not be used as evidence; "" if it may.
    `logs`: a log for each URL.
    `notes`: notes for the reader of the result, such as a search that failed.
    """

    store: Store
    refused: list[str]
    logs: list[PageLog]
    notes: list[str]


def pages_of(
    claim: Claim, request: CheckRequest, how: Scraping, context: RunContext, *, is_filtered: bool = False
) -> Pages:
    """Return the pages of a claim, fetched or from a file of a knowledge store.

    A page is refused if it must not be evidence, as one dated after the claim. With `is_filtered`, refused pages of a
    knowledge store lose their text; by default they keep it. Raises InputError, NetworkError, OutputError, or Cancelled
    when the check was cancelled.
    """
    leakage = leakage_of([claim], how.exclude_urls, keep_later_pages=how.keep_later_pages)
    notes = (
        list(leakage.remarks) if claim.claim_date else ["the claim has no date, so that later pages are not refused"]
    )
    if request.sources.knowledge_store is not None:
        with context.stage(Stage.PAGES):
            stored = _stored(request.sources.knowledge_store, leakage, is_filtered)
        return stored._replace(notes=[*notes, *stored.notes])
    rows, more = _rows(claim, request.sources, how, leakage, context)
    with context.stage(Stage.PAGES):
        documents, logs = scrape_pages(rows, how, leakage, context)
    refused = refusals(leakage, 0, documents, logs)
    return Pages(StoreInMemory({0: documents}), refused, logs, [*notes, *more])


def check_read(logs: Sequence[PageLog]) -> None:
    """Raise StoreError if no page could be read, because a verdict needs evidence."""
    if not logs:
        raise StoreError("no page was found, so that there is no verdict")
    if all(log.reason for log in logs):
        reasons = Counter(log.reason for log in logs).most_common(3)
        reasons_text = "; ".join(f"{count} of {len(logs)}: {reason}" for reason, count in reasons)
        raise StoreError(f"no page could be read, so that there is no verdict ({reasons_text})")


def _rows(
    claim: Claim, sources: Sources, how: Scraping, leakage: Leakage, context: RunContext
) -> tuple[list[UrlRow], list[str]]:
    """Return the URLs to fetch, each as a row for the scraper and without repetitions, and notes on the search."""
    if not sources.search:
        return [UrlRow("0", GIVEN, url, "") for url in dict.fromkeys(sources.urls)], []
    with context.stage(Stage.SEARCH):
        results = ClaimSearch(_Watched(get_provider(sources.search), context), leakage, KINDS, RESULTS).search(claim)
        context.tell(ProgressEvent(Stage.SEARCH, text=f"{how_many(len(results.rows), 'URL')} from {sources.search}"))
    notes = [*dict.fromkeys(f"search: {failure.message}" for failure in results.failures)]
    notes += [f"refused of the search: {one.url}: {one.reason}" for one in results.dropped]
    if len(results.rows) > how.most_urls:
        notes.append(f"of {len(results.rows)} URLs that the search found, the first {how.most_urls} are read")
    return list(results.rows)[: how.most_urls], notes


class _Watched:
    """Search provider that raises Cancelled once the check is cancelled."""

    def __init__(self, provider: SearchProvider, context: RunContext) -> None:
        self._provider, self._context = provider, context

    def search(self, query: SearchQuery) -> list[SearchResult]:
        """Return the provider's results. Raises as the provider does, and Cancelled when the check was cancelled."""
        self._context.go_on()
        return self._provider.search(query)

    def requests(self, results: int) -> int:
        return self._provider.requests(results)


def _stored(file: Path, leakage: Leakage, is_filtered: bool) -> Pages:
    """Return the pages in a file of a knowledge store, with the scraping log if there is one. Raises InputError when
    the pages cannot be read.

    Hybrid retrieval skips refused pages itself. Programs and other retrievers read all pages; for them, `is_filtered`
    removes the text of refused pages.
    """
    documents = read_records(file, Document)
    logs = logs_of(file, documents)
    refused = refusals(leakage, 0, documents, logs)
    is_undated = leakage.days and not log_path(file).exists()
    if is_filtered:
        pairs = zip(documents, refused, strict=True)
        documents = [msgspec.structs.replace(page, url2text=[] if why else page.url2text) for page, why in pairs]
    notes = [NO_DATES.format(file.name)] if is_undated else []
    checked_logs = [_as_refused(one, why) for one, why in zip(logs, refused, strict=True)]
    return Pages(StoreInMemory({0: documents}), refused, checked_logs, notes)


def _as_refused(log: PageLog, refused: str) -> PageLog:
    """Return the log of a page with `refused` as the reason why it was not read; unchanged if `refused` is empty."""
    return msgspec.structs.replace(log, reason=refused, sentences=0) if refused else log
