"""Serper, an API for Google's results. Needs SERPER_API_KEY.

Limitations: ten results a request, since more cost more.
"""

import re
from datetime import datetime

import msgspec

from src.retrieval.providers.protocol import ResultPage, SearchQuery, SearchResult, collect, pages_needed
from src.retrieval.providers.server import Fault, SearchServer

ADDRESS = "https://google.serper.dev"
PAGE, MOST_PAGES = 10, 30


class _Result(msgspec.Struct):
    link: str = ""
    date: str | None = None


class _Answer(msgspec.Struct):
    searchParameters: dict[str, object]  # noqa: N815 - the API's spelling; present in every answer
    organic: list[_Result] = []


def load(argument: str, timeout: float) -> "SerperSearch":
    return SerperSearch(argument or ADDRESS, timeout)


class SerperSearch:
    def __init__(self, address: str, timeout: float) -> None:
        self._url = f"{address}/search"
        self._server = SearchServer("serper", timeout, _fault)

    def requests(self, results: int) -> int:
        return pages_needed(results, PAGE, MOST_PAGES)

    def search(self, query: SearchQuery) -> list[SearchResult]:
        return collect(query.results, self.requests(query.results), lambda page: self._page(query, page))

    def _page(self, query: SearchQuery, page: int) -> ResultPage:
        key = self._server.variable("SERPER_API_KEY")
        body: dict[str, object] = {"q": query.text, "num": PAGE, "page": page + 1, "autocorrect": False}
        if query.before:
            body["tbs"] = f"cdr:1,cd_min:01/01/1900,cd_max:{query.before:%m/%d/%Y}"
        if query.country:
            body["gl"] = query.country.lower()
        answer = self._server.ask(self._url, _Answer, key=key, headers={"X-API-KEY": key}, body=body)
        return ResultPage([SearchResult(result.link, _day(result.date)) for result in answer.organic if result.link])


def _day(text: str | None) -> str | None:
    """Return a date such as `Aug 31, 2023` as `2023-08-31`; None for other texts such as `2 days ago`."""
    if text is None or not re.fullmatch(r"[A-Z][a-z]{2} \d{1,2}, \d{4}", text):
        return None
    try:
        return datetime.strptime(text, "%b %d, %Y").date().isoformat()
    except ValueError:
        return None


def _fault(status: int, text: str) -> Fault | None:
    return Fault.QUOTA if status in (400, 402, 403, 429) and "credits" in text.lower() else None
