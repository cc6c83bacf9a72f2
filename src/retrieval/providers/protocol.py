"""The search seam: one method, a typed query, typed results. Knows no claim but its number.

But: results are URLs with their dates; titles and snippets are left out, since the scraper reads the pages.
"""

from datetime import date
from typing import Protocol

import msgspec


class SearchQuery(msgspec.Struct, frozen=True):
    """What is asked. `before` is the last day that a page may be from, `country` an ISO code of two letters."""

    claim_id: int
    text: str
    results: int = 30
    before: date | None = None
    country: str | None = None


class Found(msgspec.Struct, frozen=True):
    """One result. `date` is the page's own, `YYYY-MM-DD`, where the provider tells one."""

    url: str
    date: str | None = None


class SearchProvider(Protocol):
    """A search engine behind its API.

    `search` raises ClaimError when this query cannot be answered; InputError when a key is missing or refused,
    NetworkError when no query will be answered any more. `requests` says how many requests that many results take at
    most; 0 for a provider that looks nothing up, and gives the same for every query of a claim.
    """

    def search(self, query: SearchQuery) -> list[Found]: ...

    def requests(self, results: int) -> int: ...
