"""Brave Search, by its web search API. Needs BRAVE_API_KEY.

Limitations of the API: a query has at most 400 characters and 50 words, and at most 200 results. For a country that
Brave does not support, the search is worldwide.
"""

import msgspec

from src.retrieval.providers.protocol import ResultPage, SearchQuery, SearchResult, collect, pages_needed
from src.retrieval.providers.server import Fault, SearchServer

ADDRESS = "https://api.search.brave.com"
PAGE, MOST_PAGES = 20, 10
LENGTH, WORDS = 400, 50
FIRST_DAY = "1990-01-01"  # the API needs a first day; no web page is older
COUNTRIES = (
    "AR AU AT BE BR CA CL DK FI FR DE GR HK IN ID IT JP KR MY MX NL NZ NO CN PL PT PH RU SA ZA ES SE CH TW TR GB US"
)


class _Result(msgspec.Struct):
    url: str
    page_age: str | None = None


class _Web(msgspec.Struct):
    results: list[_Result] = []


class _Query(msgspec.Struct):
    more_results_available: bool = True


class _Answer(msgspec.Struct):
    type: str  # present in every answer
    query: _Query = msgspec.field(default_factory=_Query)
    web: _Web | None = None


def load(argument: str, timeout: float) -> "BraveSearch":
    return BraveSearch(argument or ADDRESS, timeout)


class BraveSearch:
    def __init__(self, address: str, timeout: float) -> None:
        self._url = f"{address}/res/v1/web/search"
        self._server = SearchServer("brave", timeout, _fault)

    def requests(self, results: int) -> int:
        return pages_needed(results, PAGE, MOST_PAGES)

    def search(self, query: SearchQuery) -> list[SearchResult]:
        return collect(query.results, self.requests(query.results), lambda page: self._page(query, page))

    def _page(self, query: SearchQuery, page: int) -> ResultPage:
        key = self._server.variable("BRAVE_API_KEY")
        params: dict[str, str | int] = {"q": within_limits(query.text), "count": PAGE, "offset": page}
        params |= {"result_filter": "web", "text_decorations": "false", "spellcheck": "false"}
        params["country"] = query.country if query.country in COUNTRIES.split() else "ALL"
        if query.before:
            params["freshness"] = f"{FIRST_DAY}to{query.before.isoformat()}"
        headers = {"X-Subscription-Token": key}
        answer = self._server.ask(self._url, _Answer, key=key, params=params, headers=headers)
        results = answer.web.results if answer.web else []
        return ResultPage(
            [SearchResult(result.url, result.page_age and result.page_age[:10]) for result in results],
            not answer.query.more_results_available,
        )


def within_limits(text: str) -> str:
    """Return the first words of a query, within the API's limits: 50 words and 400 characters."""
    words = text.split()[:WORDS]
    while len(words) > 1 and len(" ".join(words)) > LENGTH:
        words.pop()
    return " ".join(words)[:LENGTH]


def _fault(status: int, text: str) -> Fault | None:
    if "QUOTA_LIMITED" in text or "USAGE_LIMIT" in text:
        return Fault.QUOTA
    return Fault.KEY if "SUBSCRIPTION_" in text else None
