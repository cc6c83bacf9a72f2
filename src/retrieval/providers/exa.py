"""Exa, a search engine that ranks pages by meaning. Needs EXA_API_KEY.

Limitations: one request a query, with at most 100 results. The country of a query is ignored. Not tested against the
live API.
"""

import msgspec

from src.retrieval.providers.protocol import SearchQuery, SearchResult
from src.retrieval.providers.server import Fault, SearchServer

ADDRESS = "https://api.exa.ai"
MOST = 100


class _Result(msgspec.Struct):
    url: str
    publishedDate: str | None = None  # noqa: N815 - the API's spelling


class _Answer(msgspec.Struct):
    results: list[_Result]


def load(argument: str, timeout: float) -> "ExaSearch":
    return ExaSearch(argument or ADDRESS, timeout)


class ExaSearch:
    def __init__(self, address: str, timeout: float) -> None:
        self._url = f"{address}/search"
        self._server = SearchServer("exa", timeout, _fault)

    def requests(self, results: int) -> int:
        return 1

    def search(self, query: SearchQuery) -> list[SearchResult]:
        key = self._server.variable("EXA_API_KEY")
        body: dict[str, object] = {"query": query.text, "numResults": min(query.results, MOST)}
        if query.before:
            body["endPublishedDate"] = f"{query.before.isoformat()}T23:59:59.999Z"
        answer = self._server.ask(self._url, _Answer, key=key, headers={"x-api-key": key}, body=body)
        return [SearchResult(result.url, result.publishedDate and result.publishedDate[:10])
                for result in answer.results]  # fmt: skip


def _fault(status: int, text: str) -> Fault | None:
    return Fault.QUOTA if status == 402 or (status in (400, 403, 429) and "credits" in text.lower()) else None
