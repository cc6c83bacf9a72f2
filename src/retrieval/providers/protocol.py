"""Interface of search providers: one method, a typed query, typed results. Of a claim it knows only the number.

Limitations: results are URLs with dates. Titles and snippets are left out, since the scraper reads the pages.
"""

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


class Found(msgspec.Struct, frozen=True):
    """One result. `date` is the page's date, `YYYY-MM-DD`, where the provider gives one."""

    url: str
    date: str | None = None


class SearchProvider(Protocol):
    """A search engine behind its API.

    `search` raises ClaimError when this query cannot be answered, InputError when a key is missing or refused, and
    NetworkError when no further query will be answered. `requests` returns the most requests that so many results take.
    It is 0 for a provider that sends no requests and returns the same URLs for every query of a claim.
    """

    def search(self, query: SearchQuery) -> list[Found]: ...

    def requests(self, results: int) -> int: ...
