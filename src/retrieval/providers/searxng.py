"""SearXNG, a self-hosted search engine: `searxng@http://localhost:8888`, or SEARXNG_URL.

Its settings.yml must list `json` under `search: formats`.

Limitations: country and latest date of a query are ignored, since most of its engines have no such option. Pages that
are too late are refused after the search. The server decides how many results a page has.
"""

from typing import Any

import msgspec

from src.errors import ClaimError
from src.retrieval.providers.environment import base_url
from src.retrieval.providers.protocol import ResultPage, SearchQuery, SearchResult, collect, pages_needed
from src.retrieval.providers.server import SearchServer

PAGE, MOST_PAGES = 10, 50  # results a page, usually the minimum
NO_JSON = "does its settings.yml list json under `search: formats`?"


class _Result(msgspec.Struct):
    url: str = ""
    publishedDate: str | None = None  # noqa: N815 - the API's spelling


class _Answer(msgspec.Struct):
    results: list[_Result]
    unresponsive_engines: list[Any] = []


def load(argument: str, timeout: float) -> "SearxngSearch":
    return SearxngSearch(argument, timeout)


class SearxngSearch:
    def __init__(self, address: str, timeout: float) -> None:
        self._address = address
        self._server = SearchServer("searxng", timeout, refused=NO_JSON)

    def requests(self, results: int) -> int:
        return pages_needed(results, PAGE, MOST_PAGES)

    def search(self, query: SearchQuery) -> list[SearchResult]:
        return collect(query.results, self.requests(query.results), lambda page: self._page(query, page))

    def _page(self, query: SearchQuery, page: int) -> ResultPage:
        address = self._address or base_url(self._server.variable("SEARXNG_URL"), "SEARXNG_URL")
        params: dict[str, str | int] = {"q": query.text, "format": "json", "pageno": page + 1}
        answer = self._server.ask(f"{address}/search", _Answer, params=params)
        if not answer.results and answer.unresponsive_engines and page == 0:
            raise ClaimError(f"searxng: no engine answered: {_named(answer.unresponsive_engines)}")
        return ResultPage(
            [SearchResult(result.url, result.publishedDate and result.publishedDate[:10]) for result in answer.results]
        )


def _named(engines: list[Any]) -> str:
    """Return the unresponsive engines and their errors as text: `google (timeout), bing (CAPTCHA)`."""
    return ", ".join(f"{engine[0]} ({engine[1]})" if len(engine) > 1 else str(engine) for engine in engines)[:200]
