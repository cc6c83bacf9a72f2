"""What each provider is asked: words, page, last day and country as its documentation has them."""

from datetime import date
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response

from src.errors import ClaimError, InputError
from src.retrieval.providers import SearchQuery, SearchResult, get_provider
from src.retrieval.providers.brave import within_limits
from tests.retrieval.providers.speaking import Engine, json_response, searxng, serper

URLS = [f"https://site.example/{number}" for number in range(100)]
QUERY = SearchQuery(7, 'Füchse & "Hasen"', results=40, before=date(2020, 10, 3), country="NG")
BARE = SearchQuery(7, "words", results=5)


def test_google(httpserver: HTTPServer) -> None:
    engine = Engine("google", httpserver, URLS)
    engine.provider().search(QUERY)
    assert [dict(request.args) for request in engine.asked] == [
        {
            "key": "secret-google",
            "cx": "engine-1",
            "q": 'Füchse & "Hasen"',
            "num": "10",
            "start": start,
            "sort": "date:r:19000101:20201003",
            "gl": "NG",
        }
        for start in ("1", "11", "21", "31")
    ]
    engine.provider().search(BARE)
    assert not {"sort", "gl"} & engine.asked[-1].args.keys()


def test_brave(httpserver: HTTPServer) -> None:
    engine = Engine("brave", httpserver, URLS)
    engine.provider().search(QUERY)
    requests = [dict(request.args) for request in engine.asked]
    assert [(page["offset"], page["count"]) for page in requests] == [("0", "20"), ("1", "20")]
    assert requests[0]["q"] == 'Füchse & "Hasen"'
    assert requests[0]["freshness"] == "1990-01-01to2020-10-03"
    assert requests[0]["country"] == "ALL"  # Brave does not know Nigeria
    assert {request.headers["X-Subscription-Token"] for request in engine.asked} == {"secret-brave"}
    assert "secret" not in engine.asked[0].url
    engine.provider().search(SearchQuery(7, "words", country="IN"))
    assert engine.asked[-1].args["country"] == "IN"
    assert "freshness" not in engine.asked[-1].args


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("short enough", "short enough"),
        ("word " * 60, " ".join(["word"] * 50)),
        (f"{'a' * 390} {'b' * 30}", "a" * 390),
        ("c" * 500, "c" * 400),
    ],
)
def test_brave_takes_so_much_of_a_query(text: str, cut: str) -> None:
    assert within_limits(text) == cut


def test_serper(httpserver: HTTPServer) -> None:
    engine = Engine("serper", httpserver, URLS)
    engine.provider().search(QUERY)
    assert {request.method for request in engine.asked} == {"POST"}
    assert {request.headers["X-API-KEY"] for request in engine.asked} == {"secret-serper"}
    assert [request.get_json() for request in engine.asked] == [
        {
            "q": 'Füchse & "Hasen"',
            "num": 10,
            "page": page,
            "autocorrect": False,
            "tbs": "cdr:1,cd_min:01/01/1900,cd_max:10/03/2020",
            "gl": "ng",
        }
        for page in (1, 2, 3, 4)
    ]
    engine.provider().search(BARE)
    sent: dict[str, Any] = engine.asked[-1].get_json() or {}
    assert sent.keys() == {"q", "num", "page", "autocorrect"}


@pytest.mark.parametrize(
    ("text", "day"),
    [("Oct 3, 2020", "2020-10-03"), ("Feb 30, 2020", None), ("3 days ago", None), ("", None), ("Okt 3, 2020", None)],
)
def test_serper_writes_dates_in_words(text: str, day: str | None, httpserver: HTTPServer) -> None:
    answer = serper(["https://a.example"], False)
    answer["organic"][0]["date"] = text
    engine = Engine("serper", httpserver, [], [json_response(answer)])
    assert engine.provider().search(BARE) == [SearchResult("https://a.example", day)]


def test_searxng(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine("searxng", httpserver, URLS)
    engine.provider().search(QUERY)
    assert [dict(request.args) for request in engine.asked] == [
        {"q": 'Füchse & "Hasen"', "format": "json", "pageno": page} for page in "1234"
    ]
    monkeypatch.setenv("SEARXNG_URL", httpserver.url_for("/"))
    assert len(get_provider("searxng").search(BARE)) == 5
    monkeypatch.delenv("SEARXNG_URL")
    with pytest.raises(InputError, match="SEARXNG_URL is not set"):
        get_provider("searxng").search(BARE)


def test_searxng_whose_engines_are_all_blocked_has_not_searched(httpserver: HTTPServer) -> None:
    answer = {**searxng([], False), "unresponsive_engines": [["google", "CAPTCHA"], ["bing", "timeout"]]}
    engine = Engine("searxng", httpserver, [], [json_response(answer)])
    with pytest.raises(ClaimError, match=r"^searxng: no engine answered: google \(CAPTCHA\), bing \(timeout\)$"):
        engine.provider().search(BARE)


def test_results_without_a_url_are_passed_over(httpserver: HTTPServer) -> None:
    answer = {"searchParameters": {}, "organic": [{"title": "no link"}, {"link": "https://a.example", "date": None}]}
    engine = Engine("serper", httpserver, [], [json_response(answer), Response("", 500)])
    assert engine.provider().search(SearchQuery(0, "q", results=10)) == [SearchResult("https://a.example")]
