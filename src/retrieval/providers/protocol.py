"""Interface of search providers: query, result, fact-check, provider; and paging, which most providers need.

Limitations: results are URLs with dates, and introductions where a provider has them. Titles and snippets are left out,
since the scraper reads the pages.
"""

from collections.abc import Callable
from datetime import date
from typing import Protocol

import msgspec

from src.errors import ClaimError, InputError

LATER = "start again later, it goes on from here"  # end of the messages of errors that end a run
FIRST = "nothing was answered before, so the run stops; if the claim is at fault, --start goes past it"
FACT_CHECKS, FACT_CHECK_KEY = "factcheck", "FACT_CHECK_API_KEY"  # a provider of fact-checks by others, and its key


class SearchQuery(msgspec.Struct, frozen=True):
    """A web search query.

    `claim_id`: claim that is searched for.
    `text`: words of the query.
    `results`: number of results wanted.
    `before`: latest date of a page; by default any date.
    `country`: two-letter ISO code of the country to search in; by default the provider decides.
    """

    claim_id: int
    text: str
    results: int = 30
    before: date | None = None
    country: str | None = None


class SearchResult(msgspec.Struct, frozen=True):
    """One search result.

    `date`: date of the page, `YYYY-MM-DD`, or None if the provider gives none.
    `introduction`: beginning of the page's text, or "" if the provider gives none. A check reads it where the page
        cannot be fetched; the files of URLs have no such column.
    """

    url: str
    date: str | None = None
    introduction: str = ""


class FactCheck(msgspec.Struct, frozen=True, omit_defaults=True):
    """A fact-check of a claim by others.

    `url`, `title`: its page.
    `publisher`: who wrote it.
    `rating`: the verdict in the publisher's words.
    `claim`, `claimant`: the claim that it is about, and who made it.
    `date`: day of the fact-check, `YYYY-MM-DD`, or "".
    """

    url: str
    rating: str
    publisher: str = ""
    title: str = ""
    claim: str = ""
    claimant: str = ""
    date: str = ""


class PartlyFailedError(ClaimError):
    """Raised when some of several providers failed; `results` are those of the others."""

    def __init__(self, message: str, results: list[SearchResult]) -> None:
        super().__init__(message)
        self.results = results


class RefusedQueryError(InputError):
    """Raised when a server refuses the first query that it is sent; `reason` is its answer."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"{reason} ({FIRST})")
        self.reason = reason


class SearchProvider(Protocol):
    """A search engine.

    `search` returns the results of a query. It raises ClaimError when this query cannot be answered, InputError when an
    API key is missing or refused, NetworkError when no further query will be answered, and PartlyFailedError with the
    results that are there.

    `requests` returns the largest number of HTTP requests for a query with this number of results. It is 0 for a
    provider that sends no requests and returns the same URLs for every query of a claim.
    """

    def search(self, query: SearchQuery) -> list[SearchResult]: ...

    def requests(self, results: int) -> int: ...


class ResultPage(msgspec.Struct, frozen=True):
    """One page of search results. `last` is True if the provider reports that there are no more results."""

    results: list[SearchResult]
    last: bool = False


def pages_needed(results: int, page_size: int, most: int) -> int:
    """Return the number of result pages, of `page_size` results each, for `results` results; at most `most`."""
    return min(-(-results // page_size), most)


def collect(results: int, pages: int, page: Callable[[int], ResultPage]) -> list[SearchResult]:
    """Return at most `results` results from result pages 0 to `pages` - 1, which the function `page` requests.

    Stop after the page marked `last`, or after an empty one.
    """
    hits: list[SearchResult] = []
    for number in range(pages):
        result_page = page(number)
        hits += result_page.results
        if result_page.last or not result_page.results:
            break
    return hits[:results]
