"""Google's Programmable Search, by its Custom Search JSON API. Needs GOOGLE_API_KEY and GOOGLE_CSE_ID.

The search engine of the ID must be set to the whole web. Requests are made as in the published search: ten results a
page, and days up to `query.before` by `sort=date:r:`.

Limitations: the API returns at most 100 results for a query.
"""

from typing import Any

import msgspec

from src.retrieval.providers.protocol import ResultPage, SearchQuery, SearchResult, collect, pages_needed
from src.retrieval.providers.server import Fault, SearchServer

ADDRESS = "https://www.googleapis.com"
PAGE, MOST_PAGES = 10, 10
_DAILY = ("per day", "dailyLimitExceeded", "quotaExceeded")
_KEY = ("API_KEY_INVALID", "API key not valid", "keyInvalid", "keyExpired")


class _Item(msgspec.Struct):
    link: str = ""


class _Queries(msgspec.Struct):
    nextPage: list[Any] = []  # noqa: N815 - the API's spelling


class _Answer(msgspec.Struct):
    kind: str  # present in every answer
    items: list[_Item] = []
    queries: _Queries = msgspec.field(default_factory=_Queries)


def load(argument: str, timeout: float) -> "GoogleSearch":
    return GoogleSearch(argument or ADDRESS, timeout)


class GoogleSearch:
    def __init__(self, address: str, timeout: float) -> None:
        self._url = f"{address}/customsearch/v1"
        self._server = SearchServer("google", timeout, _fault)

    def requests(self, results: int) -> int:
        return pages_needed(results, PAGE, MOST_PAGES)

    def search(self, query: SearchQuery) -> list[SearchResult]:
        return collect(query.results, self.requests(query.results), lambda page: self._page(query, page))

    def _page(self, query: SearchQuery, page: int) -> ResultPage:
        key, engine = self._server.variable("GOOGLE_API_KEY"), self._server.variable("GOOGLE_CSE_ID")
        params: dict[str, str | int] = {
            "key": key,
            "cx": engine,
            "q": query.text,
            "num": PAGE,
            "start": page * PAGE + 1,
        }
        if query.before:
            params["sort"] = f"date:r:19000101:{query.before:%Y%m%d}"
        if query.country:
            params["gl"] = query.country
        answer = self._server.ask(self._url, _Answer, key=key, params=params)
        return ResultPage([SearchResult(item.link) for item in answer.items if item.link], not answer.queries.nextPage)


def _fault(status: int, text: str) -> Fault | None:
    if status in (403, 429) and any(word in text for word in _DAILY):
        return Fault.QUOTA
    if status == 403 and "ateLimitExceeded" in text:  # rateLimitExceeded, userRateLimitExceeded
        return Fault.BUSY
    return Fault.KEY if status == 400 and any(word in text for word in _KEY) else None
