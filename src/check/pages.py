"""Pages of one claim as a knowledge store: from a search, from URLs or from a file scraped before."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from src.atomic_file import write_whole
from src.check.records import CheckRequest, ProgressEvent, Sources, Stage
from src.check.run_context import RunContext
from src.check.scraping import Scraping, scrape_pages
from src.errors import StoreError
from src.knowledge_store import KnowledgeStore
from src.records import Claim, Document, UrlRow
from src.retrieval.leakage.filters import Leakage, read_leakage
from src.retrieval.leakage.stored_pages import refused_pages
from src.retrieval.providers import Found, SearchProvider, SearchQuery, get_provider
from src.retrieval.scraping.earlier_output import logs_of
from src.retrieval.scraping.page_log import PageLog, log_path
from src.retrieval.searching.claim_search import ClaimSearch
from src.retrieval.searching.queries import GIVEN, KINDS
from src.retrieval.url_rows import encode_url_rows
from src.runner.console import how_many
from src.store import encode_lines, encode_list, read_records

NO_DATES = "the date of the claim has no effect: {} has no scraping log, so that nobody knows how old its pages are"
RESULTS = 10  # per query: one page of results; the search for a split takes three


class Pages(NamedTuple):
    """Pages of a claim. `logs` has a line for each URL. The store holds claim 0."""

    store: KnowledgeStore
    leakage: Leakage
    logs: list[PageLog]
    notes: list[str]


def pages_of(
    claim: Claim, asked: CheckRequest, folder: Path, how: Scraping, watch: RunContext, *, is_filtered: bool = False
) -> Pages:
    """Return the pages, stored in files of `folder`; with `is_filtered`, refused pages are emptied.

    Raises InputError, NetworkError, OutputError, or Cancelled when the check was cancelled.
    """
    leakage, store = _leakage(claim, folder, how), folder / "store"
    notes = (
        list(leakage.remarks) if claim.claim_date else ["the claim has no date, so that later pages are not refused"]
    )
    if asked.sources.knowledge_store is not None:
        with watch.stage(Stage.PAGES):
            logs, more = _stored(asked.sources.knowledge_store, store, leakage, is_filtered)
        return Pages(KnowledgeStore(store), leakage, logs, [*notes, *more])
    rows, more = _rows(claim, asked.sources, how, leakage, watch)
    tsv = folder / "urls" / "0.tsv"
    write_whole(tsv, encode_url_rows(rows))
    with watch.stage(Stage.PAGES):
        logs = scrape_pages(tsv, store, how, leakage, watch)
    return Pages(KnowledgeStore(store), leakage, logs, [*notes, *more])


def check_read(logs: Sequence[PageLog]) -> None:
    """Raise StoreError if not one page can be read: without evidence there is nothing to judge."""
    if not logs:
        raise StoreError("no page was found, so that there is no verdict")
    if all(log.reason for log in logs):
        reasons = Counter(log.reason for log in logs).most_common(3)
        told = "; ".join(f"{count} of {len(logs)}: {reason}" for reason, count in reasons)
        raise StoreError(f"no page could be read, so that there is no verdict ({told})")


def _leakage(claim: Claim, folder: Path, how: Scraping) -> Leakage:
    """Return the leakage rules for the claim. Its date is known; it has no fact-checking article."""
    path = folder / "claims.json"
    write_whole(path, encode_list([claim]))
    return read_leakage(path, how.exclude_urls, keep_later_pages=how.keep_later_pages)


def _rows(
    claim: Claim, sources: Sources, how: Scraping, leakage: Leakage, watch: RunContext
) -> tuple[list[UrlRow], list[str]]:
    """Return the rows to fetch, each URL once, and notes on the search."""
    if not sources.search:
        return [UrlRow("0", GIVEN, url, "") for url in dict.fromkeys(sources.urls)], []
    with watch.stage(Stage.SEARCH):
        found = ClaimSearch(_Watched(get_provider(sources.search), watch), leakage, KINDS, RESULTS).search(claim)
        watch.tell(ProgressEvent(Stage.SEARCH, text=f"{how_many(len(found.rows), 'URL')} from {sources.search}"))
    notes = [*dict.fromkeys(f"search: {failure.message}" for failure in found.failures)]
    notes += [f"refused of the search: {one.url}: {one.reason}" for one in found.dropped]
    if len(found.rows) > how.most_urls:
        notes.append(f"of {len(found.rows)} URLs that the search found, the first {how.most_urls} are read")
    return list(found.rows)[: how.most_urls], notes


class _Watched:
    """Search provider that raises Cancelled once the check is cancelled."""

    def __init__(self, provider: SearchProvider, watch: RunContext) -> None:
        self._provider, self._watch = provider, watch

    def search(self, query: SearchQuery) -> list[Found]:
        """Return the provider's results. Raises as the provider does, and Cancelled when the check was cancelled."""
        self._watch.go_on()
        return self._provider.search(query)

    def requests(self, results: int) -> int:
        return self._provider.requests(results)


def _stored(file: Path, store: Path, leakage: Leakage, is_filtered: bool) -> tuple[list[PageLog], list[str]]:
    """Put the file, and its log if there is one, into the store as claim 0. Raises InputError when it cannot be read.

    Hybrid retrieval skips refused pages itself. Programs and other retrievers read all pages, so `is_filtered` empties
    the refused pages for them.
    """
    documents, log = read_records(file, Document), log_path(file)
    refused = refused_pages(leakage, 0, file, documents)
    logs = logs_of(file, documents)
    emptied = refused if is_filtered else [""] * len(refused)
    if any(emptied) or not _is_of_lines(file):
        kept = zip(documents, emptied, strict=True)
        pages = [msgspec.structs.replace(page, url2text=[] if why else page.url2text) for page, why in kept]
        write_whole(store / "0.json", encode_lines(pages))
    else:
        store.mkdir()
        (store / "0.json").symlink_to(file.absolute())
    if log.exists():
        (store / "0.log.jsonl").symlink_to(log.absolute())
    is_undated = leakage.days and not log.exists()
    notes = [NO_DATES.format(file.name)] if is_undated else []
    return [_told(one, why) for one, why in zip(logs, refused, strict=True)], notes


def _is_of_lines(file: Path) -> bool:
    """Return True if the file is plain JSON lines, as knowledge stores are; lists and gzipped files are converted."""
    with file.open("rb") as opened:
        return opened.read(1) == b"{"


def _told(log: PageLog, refused: str) -> PageLog:
    return msgspec.structs.replace(log, reason=refused, sentences=0) if refused else log
