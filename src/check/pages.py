"""Pages of one claim as a knowledge store: from a search, from URLs, or from a file that was scraped earlier."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import msgspec

from src.canonical_url import page_addresses
from src.check.introductions import supply_introductions
from src.check.records import CheckRequest, ProgressEvent, Sources, Stage
from src.check.run_context import RunContext
from src.check.scraping import Scraping, scrape_pages
from src.errors import Cancelled, ClaimError, FactCheckError, InputError, NetworkError, StoreError
from src.knowledge_store import Store, StoreInMemory
from src.language import other_language
from src.records import Claim, Document, UrlRow
from src.retrieval.claim_search import GIVEN, KINDS, ClaimResults, ClaimSearch, failure_of
from src.retrieval.leakage import Leakage, leakage_of, refusals
from src.retrieval.providers import (
    LATER,
    FactCheck,
    PartlyFailedError,
    RefusedQueryError,
    SearchProvider,
    SearchQuery,
    SearchResult,
    fact_check_address,
    get_provider,
    provider_notes,
)
from src.retrieval.scraping.page_log import PageLog, log_path
from src.retrieval.scraping.plan import logs_of
from src.runner.console import how_many
from src.store import read_records

NO_DATES = "the date of the claim has no effect: {} has no scraping log, so that nobody knows how old its pages are"
ENGLISH_ENCODER, ENGLISH_ONLY = "passages are searched by an English encoder", "the models read English only"
LANGUAGE_CHARACTERS = 1000  # of a page, by which its language is recognized
MOST_RECOGNIZED = 100  # pages of a knowledge store whose languages are recognized
RESULTS = 10  # per query: one page of results; the search for a split takes three
ANSWER = 15.0  # seconds for an answer of a search engine, half of the steps', because a user waits
ELSE = "try again, or give pages or documents"


class Pages(NamedTuple):
    """Pages of a claim.

    `store`: knowledge store with the pages, under claim_id 0.
    `refused`: for each page of the store, why it must not be used as evidence; "" if it may.
    `logs`: a log for each URL.
    `notes`: notes for the reader of the result, such as a search that failed.
    `fact_checks`: fact-checks of the claim by others, which are no evidence.
    `other_languages`: how many pages are not in English, such as `2 of 9 pages are not in English (German, French)`; ""
        if all are, and for more than `MOST_RECOGNIZED` pages of a knowledge store.
    """

    store: Store
    refused: list[str]
    logs: list[PageLog]
    notes: list[str]
    fact_checks: list[FactCheck] = []  # noqa: RUF012 - nothing changes it
    other_languages: str = ""


class Found(NamedTuple):
    """What a search found: rows of URLs for the scraper, notes, fact-checks by others, and introductions of pages.

    `introductions`: results that have one, by URL.
    """

    rows: list[UrlRow]
    notes: list[str] = []  # noqa: RUF012 - nothing changes it
    fact_checks: list[FactCheck] = []  # noqa: RUF012
    introductions: Mapping[str, SearchResult] = MappingProxyType({})


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
    found = _found(claim, request.sources, how, leakage, context)
    with context.stage(Stage.PAGES):
        own = {one.url: one.content for one in request.sources.documents}
        scraped = scrape_pages(found.rows, how, leakage, context, own)
        introductions = {} if how.via else found.introductions  # those of today, not of an archive
        refused = refusals(leakage, 0, *scraped)
        documents, logs, supplied = supply_introductions(*scraped, refused, introductions)
        languages = _other_languages(documents, logs)
    notes += [*found.notes, *supplied]
    return Pages(StoreInMemory({0: documents}), refused, logs, notes, found.fact_checks, languages)


def check_read(logs: Sequence[PageLog]) -> None:
    """Raise StoreError if no page could be read, because a verdict needs evidence."""
    if not logs:
        raise StoreError("no page was found, so that there is no verdict")
    if all(log.reason for log in logs):
        reasons = Counter(log.reason for log in logs).most_common(3)
        reasons_text = "; ".join(f"{count} of {len(logs)}: {reason}" for reason, count in reasons)
        raise StoreError(f"no page could be read, so that there is no verdict ({reasons_text})")


def _other_languages(documents: Sequence[Document], logs: Sequence[PageLog]) -> str:
    """Return how many of the pages that were read are not in English; "" if all are.

    It takes less than a millisecond a page.
    """
    texts = [page.url2text for page, log in zip(documents, logs, strict=True) if not log.reason]
    beginnings = [" ".join(text[:LANGUAGE_CHARACTERS])[:LANGUAGE_CHARACTERS] for text in texts]
    found = [language for text in beginnings if (language := other_language(text))]
    if not found:
        return ""
    are = "is" if len(found) == 1 else "are"
    return f"{len(found)} of {how_many(len(texts), 'page')} {are} not in English ({', '.join(dict.fromkeys(found))})"


def _found(claim: Claim, sources: Sources, how: Scraping, leakage: Leakage, context: RunContext) -> Found:
    """Return the URLs to read, each once: those that are given, then those of a search, with what else it has found."""
    given = [
        UrlRow("0", GIVEN, url, "") for url in dict.fromkeys([one.url for one in sources.documents] + [*sources.urls])
    ]
    if not sources.search:
        return Found(given)
    with context.stage(Stage.SEARCH):
        fact_checks, notes = _fact_checks(claim, sources.search)
        provider = _Watched(get_provider(sources.search, ANSWER), context)
        results = _searched(claim, provider, leakage, is_alone=not given)
        context.tell(ProgressEvent(Stage.SEARCH, text=f"{how_many(len(results.rows), 'URL')} from {sources.search}"))
    notes += [*provider_notes(sources.search), *dict.fromkeys(f"search: {one.message}" for one in results.failures)]
    notes += [f"refused of the search: {one.url}: {one.reason}" for one in results.dropped]
    known = {row.url for row in given}
    new = [row for row in results.rows if row.url not in known]
    read, rows = _without(given, fact_checks), _without(new, fact_checks)
    if count := len(given) + len(new) - len(read) - len(rows):
        fact_check_pages = f"{how_many(count, 'page')} with a fact-check of the claim by others"
        if not (read or rows):
            raise StoreError(f"no page was found but {fact_check_pages}, which is no evidence; {ELSE}")
        notes.append(f"refused: {fact_check_pages}")
    if len(rows) > how.most_urls:
        notes.append(f"of {len(rows)} URLs that the search found, the first {how.most_urls} are read")
    return Found(read + rows[: how.most_urls], notes, fact_checks, provider.introductions)


def _without(rows: Sequence[UrlRow], fact_checks: Sequence[FactCheck]) -> list[UrlRow]:
    """Return the rows whose page is none of the fact-checks."""
    theirs = {str(address) for one in fact_checks for address in page_addresses(one.url)}
    return [row for row in rows if theirs.isdisjoint(map(str, page_addresses(row.url)))]


def _searched(claim: Claim, provider: SearchProvider, leakage: Leakage, *, is_alone: bool) -> ClaimResults:
    """Return the results of a search. `is_alone`: no pages are given beside it.

    Raises NetworkError if no search engine answers any query, StoreError if nothing was found since queries failed;
    both say what else can be read. Raises InputError if a key is refused. No error is raised if pages are given.
    """
    try:
        results = ClaimSearch(provider, leakage, KINDS, RESULTS).search(claim)
    except (NetworkError, InputError) as error:
        reason = str(error).removesuffix(f"; {LATER}")
        if not is_alone:
            return ClaimResults([], [], [failure_of(claim, ClaimError(reason))], {})
        if isinstance(error, NetworkError):
            raise NetworkError(f"{reason}; {ELSE}") from None
        raise
    if is_alone and results.failures and not (results.rows or results.dropped):
        reasons = "; ".join(dict.fromkeys(one.message for one in results.failures))
        raise StoreError(f"no page was found: {reasons}; {ELSE}")
    return results


def _fact_checks(claim: Claim, search: str) -> tuple[list[FactCheck], list[str]]:
    """Return fact-checks by others, if the search asks for them, or a note why there are none.

    Whatever fails there, the check goes on.
    """
    address = fact_check_address(search)
    if address is None:
        return [], []
    from src.retrieval.providers.fact_checks import find_fact_checks

    try:
        return find_fact_checks(claim.claim, address), []
    except Cancelled:
        raise
    except FactCheckError as error:
        return [], [f"no fact-checks by others: {error}"]


class _Watched:
    """Search provider that raises Cancelled once the check is cancelled, and keeps the results with an introduction.

    What ends a search that has answered before is an error of one query, so that its answers are kept. It is not asked
    again.

    `introductions` (attribute): the results with an introduction, by URL.
    """

    def __init__(self, provider: SearchProvider, context: RunContext) -> None:
        self._provider, self._context = provider, context
        self.introductions: dict[str, SearchResult] = {}
        self._has_answered = False
        self._ended = ""  # why no further query is answered

    def search(self, query: SearchQuery) -> list[SearchResult]:
        """Return the provider's results.

        Raises as the provider does, ClaimError for a query that is refused or that ends a search which has answered
        before, and Cancelled when the check was cancelled.
        """
        self._context.go_on()
        if self._ended:
            raise ClaimError(self._ended)
        try:
            results = self._provider.search(query)
        except RefusedQueryError as error:  # another query of the claim may be answered
            raise ClaimError(error.reason) from None
        except (NetworkError, InputError) as error:
            if not self._has_answered:
                raise
            self._ended = str(error).removesuffix(f"; {LATER}")
            raise ClaimError(self._ended) from None
        except PartlyFailedError as error:
            self._keep(error.results)
            raise
        self._keep(results)
        return results

    def _keep(self, results: Sequence[SearchResult]) -> None:
        self._has_answered = True
        self.introductions |= {result.url: result for result in results if result.introduction}

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
    languages = _other_languages(documents, checked_logs) if len(documents) <= MOST_RECOGNIZED else ""
    return Pages(StoreInMemory({0: documents}), refused, checked_logs, notes, other_languages=languages)


def _as_refused(log: PageLog, refused: str) -> PageLog:
    """Return the log of a page with `refused` as the reason why it was not read; unchanged if `refused` is empty."""
    return msgspec.structs.replace(log, reason=refused, sentences=0) if refused else log
