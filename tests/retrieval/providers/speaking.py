"""What each provider's server says, as its documentation has it: a page of results, and its errors."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from src.retrieval.providers import SearchProvider, get_provider

Json = dict[str, Any]
Answer = Callable[[Sequence[str], bool], Json]

PATHS = {"google": "/customsearch/v1", "brave": "/res/v1/web/search", "serper": "/search", "searxng": "/search"}
PAGES = {"google": 10, "brave": 20, "serper": 10, "searxng": 10}
VARIABLES = {"GOOGLE_API_KEY": "secret-google", "GOOGLE_CSE_ID": "engine-1", "BRAVE_API_KEY": "secret-brave",
             "SERPER_API_KEY": "secret-serper", "EXA_API_KEY": "secret-exa",
             "FACT_CHECK_API_KEY": "secret-factcheck"}  # fmt: skip


def google(urls: Sequence[str], more: bool) -> Json:
    queries: Json = {"request": [{"totalResults": "1000", "count": len(urls), "startIndex": 1}]}
    answer: Json = {"kind": "customsearch#search", "queries": queries, "searchInformation": {"totalResults": "1000"}}
    if more:
        queries["nextPage"] = [{"count": 10, "startIndex": 11}]
    if urls:
        answer["items"] = [{"kind": "customsearch#result", "title": "A page", "link": url} for url in urls]
    return answer


def brave(urls: Sequence[str], more: bool) -> Json:
    results = [{"title": "A page", "url": url, "page_age": "2020-10-30T12:00:00", "age": "a day ago"} for url in urls]
    answer: Json = {"type": "search", "query": {"original": "q", "more_results_available": more}}
    return {**answer, "web": {"type": "search", "results": results}} if urls else answer


def serper(urls: Sequence[str], more: bool) -> Json:
    results = [{"title": "A page", "link": url, "date": "Oct 30, 2020", "position": n} for n, url in enumerate(urls, 1)]
    return {"searchParameters": {"q": "q", "type": "search"}, "organic": results, "credits": 1}


def searxng(urls: Sequence[str], more: bool) -> Json:
    results = [{"url": url, "title": "A page", "engine": "x", "publishedDate": "2020-10-30T00:00:00"} for url in urls]
    return {"query": "q", "number_of_results": 0, "results": results, "unresponsive_engines": []}


ANSWERS: dict[str, Answer] = {"google": google, "brave": brave, "serper": serper, "searxng": searxng}


def google_error(code: int, message: str, reason: str, status: str = "") -> Json:
    return {"error": {"code": code, "message": message, "errors": [{"message": message, "reason": reason}],
                      "status": status}}  # fmt: skip


def brave_error(status: int, code: str, detail: str) -> Json:
    return {"type": "ErrorResponse", "error": {"id": "1", "status": status, "code": code, "detail": detail}, "time": 1}


@dataclass
class Engine:
    """A server that has `urls` for every query, page by page, after the answers in `first` are used up."""

    name: str
    server: HTTPServer
    urls: Sequence[str]
    first: list[Response] = field(default_factory=list)
    asked: list[Request] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.server.expect_request(PATHS[self.name]).respond_with_handler(self._respond)

    def provider(self, timeout: float = 5) -> SearchProvider:
        return get_provider(f"{self.name}@{self.server.url_for('')}", timeout)

    def _respond(self, request: Request) -> Response:
        self.asked.append(request)
        if self.first:
            return self.first.pop(0)
        size = PAGES[self.name]
        begin = self._page(request) * size
        answer = ANSWERS[self.name](self.urls[begin : begin + size], begin + size < len(self.urls))
        return json_response(answer)

    def _page(self, request: Request) -> int:
        if self.name == "google":
            return (int(request.args["start"]) - 1) // 10
        if self.name == "serper":
            return int((request.get_json() or {})["page"]) - 1
        return int(request.args["offset"]) if self.name == "brave" else int(request.args["pageno"]) - 1


def json_response(answer: object, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(json.dumps(answer), status, headers, content_type="application/json")
