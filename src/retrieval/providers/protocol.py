"""Interface of search providers: one method, a typed query, typed results; and paging, which most of them need.

Limitations: results are URLs with dates. Titles and snippets are left out, since the scraper reads the pages.
"""

from collections.abc import Callable
from datetime import date
from typing import Protocol

import msgspec


class SearchQuery(msgspec.Struct, frozen=True):
    """A query. `before` is the last day that a page may be from, `country` a two-letter ISO code."""

    claim_id: int
    text: str
    results: int = 30
    before: date | None = None
    country: str | None = None


class SearchResult(msgspec.Struct, frozen=True):
    """One result. `date` is the page's date, `YYYY-MM-DD`, where the provider gives one."""

    url: str
    date: str | None = None


class SearchProvider(Protocol):
    """A search engine behind its API.

    `search` raises ClaimError when this query cannot be answered, InputError when a key is missing or refused, and
    NetworkError when no further query will be answered. `requests` returns the most requests that so many results take.
    It is 0 for a provider that sends no requests and returns the same URLs for every query of a claim.
    """

    def search(self, query: SearchQuery) -> list[SearchResult]: ...

    def requests(self, results: int) -> int: ...


class ResultPage(msgspec.Struct, frozen=True):
    """One page of results; `last` when the provider reports that there are no more."""

    results: list[SearchResult]
    last: bool = False


def pages_needed(results: int, page_size: int, most: int) -> int:
    """Return how many pages hold that many results, at most `most`."""
    return min(-(-results // page_size), most)


def collect(results: int, pages: int, page: Callable[[int], ResultPage]) -> list[SearchResult]:
    """Return at most `results` results of pages 0 to `pages`-1; stop after the last page and at an empty one."""
    found: list[SearchResult] = []
    for number in range(pages):
        got = page(number)
        found += got.results
        if got.last or not got.results:
            break
    return found[:results]
