"""Wikipedia, GDELT and Exa against servers that answer as the documentation of each API says."""

import json
from collections.abc import Callable
from datetime import date
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from src.errors import ClaimError, InputError, NetworkError
from src.retrieval.providers import SearchQuery, SearchResult, get_provider, server
from src.retrieval.providers.telling_words import telling_words

DAY = date(2020, 10, 3)
Json = dict[str, Any]
Made = Callable[[dict[str, list[str]]], list[Request]]


def respond(answer: Json, status: int = 200, **headers: str) -> Response:
    return Response(json.dumps(answer), status, headers, content_type="application/json")


def current(titles: list[str], begin: int) -> Json:
    """Answer of the API with articles, in the order of their ids, and the introductions from the one at `begin`."""
    if not titles:
        return {"batchcomplete": True}
    pages: list[Json] = []
    for number, title in enumerate(titles):
        page: Json = {"pageid": 100 - number, "ns": 0, "title": title, "index": number + 1}
        if begin == 0:
            page["revisions"] = [{"revid": 7, "parentid": 1, "timestamp": f"2024-01-{number + 1:02d}T08:00:00Z"}]
        if begin <= number < begin + 2:
            page["extract"] = f"{title} is a thing.\n"
        pages.insert(0, page)
    answer: Json = {"query": {"pages": pages}}
    if begin + 2 < len(titles):
        return answer | {"continue": {"excontinue": begin + 2, "continue": "||revisions"}}
    return answer | {"batchcomplete": True, "continue": {"gsroffset": len(titles), "continue": "gsroffset||"}}


@pytest.fixture
def wiki(httpserver: HTTPServer) -> Made:
    """A wiki with the titles that each query finds; articles beginning with "New" were written after 2020.

    It gives two introductions an answer, and pages in the order of their ids.
    """

    def make(titles: dict[str, list[str]]) -> list[Request]:
        asked: list[Request] = []

        def handle(request: Request) -> Response:
            asked.append(request)
            if request.args.get("generator") == "search":
                found = titles.get(request.args["gsrsearch"], [])[: int(request.args["gsrlimit"])]
                return respond(current(found, int(request.args.get("excontinue", 0))))
            if request.args.get("list") == "search":
                found = titles.get(request.args["srsearch"], [])[: int(request.args["srlimit"])]
                hits = [{"ns": 0, "title": title, "pageid": number} for number, title in enumerate(found)]
                return respond({"batchcomplete": True, "query": {"searchinfo": {"totalhits": 9}, "search": hits}})
            title = request.args["titles"]
            page: Json = {"pageid": 7, "ns": 0, "title": title}
            if not title.startswith("New"):
                page["revisions"] = [{"revid": 900 + len(title), "parentid": 1, "timestamp": "2020-09-30T08:00:00Z"}]
            return respond({"query": {"pages": [page]}})

        httpserver.expect_request("/w/api.php").respond_with_handler(handle)
        return asked

    return make


def wikipedia(httpserver: HTTPServer, query: SearchQuery) -> list[SearchResult]:
    return get_provider(f"wikipedia@{httpserver.url_for('')}").search(query)


def test_wikipedia_gives_pages_as_they_were_on_the_day_of_the_claim(wiki: Made, httpserver: HTTPServer) -> None:
    asked = wiki({"Varn copper works": ["Varn (river)", "New mine", "Copper"]})
    found = wikipedia(httpserver, SearchQuery(0, "Varn copper works", results=3, before=DAY))
    home = httpserver.url_for("").rstrip("/")
    assert [(urlsplit(one.url).path, parse_qs(urlsplit(one.url).query), one.date) for one in found] == [
        ("/w/index.php", {"title": ["Varn_(river)"], "oldid": ["912"]}, "2020-09-30"),
        ("/w/index.php", {"title": ["Copper"], "oldid": ["906"]}, "2020-09-30"),
    ]
    assert all(one.url.startswith(home) for one in found)
    looked_up = dict(asked[1].args)
    assert looked_up["rvstart"] == "2020-10-03T23:59:59Z"
    assert (looked_up["rvdir"], looked_up["rvlimit"], looked_up["rvprop"]) == ("older", "1", "ids|timestamp")


def test_wikipedia_gives_pages_as_they_are_for_a_claim_without_a_day(wiki: Made, httpserver: HTTPServer) -> None:
    asked = wiki({"Øresund bridge": ["Øresund Bridge", "What?"]})
    found = wikipedia(httpserver, SearchQuery(0, "Øresund bridge", results=5))
    home = httpserver.url_for("/wiki/")
    assert found == [
        SearchResult(f"{home}%C3%98resund_Bridge", "2024-01-01", "Øresund Bridge is a thing."),
        SearchResult(f"{home}What%3F", "2024-01-02", "What? is a thing."),
    ]
    assert [dict(request.args) for request in asked] == [
        {"action": "query", "format": "json", "formatversion": "2", "generator": "search",
         "gsrsearch": "Øresund bridge", "gsrlimit": "5", "gsrnamespace": "0", "prop": "extracts|revisions",
         "exintro": "1", "explaintext": "1", "exlimit": "max", "rvprop": "ids|timestamp"}
    ]  # fmt: skip


def test_introductions_that_come_in_parts_are_all_asked_for(wiki: Made, httpserver: HTTPServer) -> None:
    titles = [f"Copper {number}" for number in range(5)]
    asked = wiki({"copper": titles})
    found = wikipedia(httpserver, SearchQuery(0, "copper"))
    assert [one.introduction for one in found] == [f"{title} is a thing." for title in titles]
    assert [one.date for one in found] == [f"2024-01-0{day}" for day in range(1, 6)]
    assert [request.args.get("excontinue") for request in asked] == [None, "2", "4"]
    assert {request.args["gsrsearch"] for request in asked} == {"copper"}
    assert [request.args.get("continue") for request in asked] == [None, "||revisions", "||revisions"]


def test_a_wiki_without_introductions_gives_its_articles(httpserver: HTTPServer) -> None:
    answer = {"batchcomplete": True, "query": {"pages": [{"pageid": 1, "ns": 0, "title": "Copper", "index": 1}]},
              "warnings": {"query": {"warnings": "Unrecognized value for parameter \"prop\": extracts"}}}  # fmt: skip
    httpserver.expect_request("/w/api.php").respond_with_json(answer)
    assert wikipedia(httpserver, SearchQuery(0, "copper")) == [SearchResult(httpserver.url_for("/wiki/Copper"))]


def test_wikipedia_is_asked_for_fewer_words_where_it_finds_nothing(wiki: Made, httpserver: HTTPServer) -> None:
    asked = wiki({"Hexley Bay Varn": ["Hexley Bay"]})
    text = "water of Hexley Bay turned red after a leak at the Varn copper works"
    assert len(wikipedia(httpserver, SearchQuery(0, text))) == 1
    assert [request.args["gsrsearch"] for request in asked] == [
        "water of Hexley Bay turned red after leak the Varn copper works",
        "Hexley Bay turned Varn copper",
        "Hexley Bay Varn",
    ]
    assert wikipedia(httpserver, SearchQuery(0, "no such words anywhere at all")) == []


def test_a_revision_is_looked_up_once(wiki: Made, httpserver: HTTPServer) -> None:
    asked = wiki({"copper": ["Copper"], "copper works": ["Copper"]})
    provider = get_provider(f"wikipedia@{httpserver.url_for('')}")
    for text in ("copper", "copper works"):
        provider.search(SearchQuery(0, text, before=DAY))
    assert [request.args.get("titles") for request in asked] == [None, "Copper", None]


def test_an_error_of_mediawiki_fails_the_query(httpserver: HTTPServer) -> None:
    error = {"error": {"code": "badvalue", "info": "Unrecognized value for parameter"}}
    httpserver.expect_request("/w/api.php").respond_with_json(error)
    with pytest.raises(ClaimError, match=r"^wikipedia: not the documented answer .*: Unrecognized value"):
        wikipedia(httpserver, SearchQuery(0, "copper"))


@pytest.mark.parametrize(("contact", "named"), [("", ""), ("me@desk.example", "; me@desk.example")])
def test_keyless_apis_are_told_who_asks(
    wiki: Made, httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch, contact: str, named: str
) -> None:
    monkeypatch.setenv("SEARCH_CONTACT", contact)
    (asked,) = [wiki({"copper": ["Copper"]})]
    wikipedia(httpserver, SearchQuery(0, "copper"))
    assert asked[0].headers["User-Agent"] == f"AVeriTeC-pipeline/0.1 (+fact-checking research{named})"


def test_a_contact_that_cannot_be_sent_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEARCH_CONTACT", "schlüssel")
    with pytest.raises(InputError, match="SEARCH_CONTACT holds characters that cannot be sent"):
        get_provider("gdelt@http://127.0.0.1:9").search(SearchQuery(0, "copper works"))


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Clock that only pauses move; returns the list of pauses, in seconds."""
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr(server, "sleep", sleep)
    monkeypatch.setattr(server, "_NEXT_REQUEST", {})
    monkeypatch.setattr(server, "monotonic", lambda: sum(pauses))
    return pauses


def article(number: int, seen: str = "20200930T120000Z") -> Json:
    return {"url": f"https://news.example/{number}", "url_mobile": "", "title": "News", "seendate": seen,
            "domain": "news.example", "language": "English", "sourcecountry": "Norway"}  # fmt: skip


def test_gdelt_is_asked_every_five_seconds_and_for_fewer_words(httpserver: HTTPServer, slept: list[float]) -> None:
    asked: list[Request] = []

    def handle(request: Request) -> Response:
        asked.append(request)
        return respond({} if len(asked) == 1 else {"articles": [article(1), article(2, "soon")]})

    httpserver.expect_request("/api/v2/doc/doc").respond_with_handler(handle)
    provider = get_provider(f"gdelt@{httpserver.url_for('')}")
    query = SearchQuery(0, "Hexley Bay turned covid-19 after the Varn leak", results=10, before=DAY)
    found = [SearchResult("https://news.example/1", "2020-09-30"), SearchResult("https://news.example/2")]
    assert provider.search(query) == found
    assert [request.args["query"] for request in asked] == [
        'Hexley Bay turned "covid-19" after Varn sourcelang:english',
        "Hexley Bay Varn sourcelang:english",
    ]
    sent = dict(asked[0].args)
    assert (sent["startdatetime"], sent["enddatetime"]) == ("20170101000000", "20201003235959")
    assert (sent["mode"], sent["format"], sent["maxrecords"]) == ("artlist", "json", "10")
    assert slept == [5.0]
    assert provider.search(query) == found  # as before, without a request
    assert len(asked) == 2


def test_gdelt_knows_nothing_before_2017_and_says_errors_in_words(httpserver: HTTPServer) -> None:
    provider = get_provider(f"gdelt@{httpserver.url_for('')}")
    assert provider.search(SearchQuery(0, "copper works", before=date(2016, 12, 31))) == []
    assert provider.search(SearchQuery(0, "a b c", before=DAY)) == []
    assert not httpserver.log
    httpserver.expect_request("/api/v2/doc/doc").respond_with_data("Your query was too short or too long.\n")
    with pytest.raises(ClaimError, match=r"^gdelt: not the documented answer .*: Your query was too short"):
        provider.search(SearchQuery(0, "copper works", before=DAY))


def test_exa(httpserver: HTTPServer) -> None:
    results = [{"id": "1", "title": "A", "url": "https://a.example", "publishedDate": "2020-09-30T00:00:00.000Z"},
               {"id": "2", "title": "B", "url": "https://b.example"}]  # fmt: skip
    httpserver.expect_request("/search", "POST").respond_with_json({"requestId": "r", "results": results})
    provider = get_provider(f"exa@{httpserver.url_for('')}")
    assert provider.search(SearchQuery(0, "words", results=20, before=DAY)) == [
        SearchResult("https://a.example", "2020-09-30"),
        SearchResult("https://b.example"),
    ]
    request = httpserver.log[0][0]
    assert request.headers["x-api-key"] == "secret-exa"
    assert request.get_json() == {"query": "words", "numResults": 20, "endPublishedDate": "2020-10-03T23:59:59.999Z"}


@pytest.mark.parametrize(
    ("status", "message", "error"),
    [
        (401, "Invalid API key", InputError),
        (402, "pay first", NetworkError),
        (400, "no more credits for secret-exa", NetworkError),
        (429, "too fast", NetworkError),
    ],
)
def test_refusals_of_exa_end_the_run(
    httpserver: HTTPServer, status: int, message: str, error: type[Exception], slept: list[float]
) -> None:
    httpserver.expect_request("/search").respond_with_json({"error": message}, status=status)
    with pytest.raises(error) as raised:
        get_provider(f"exa@{httpserver.url_for('')}").search(SearchQuery(0, "words"))
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    ("text", "most", "words"),
    [
        ("The US sent 250 tanks to Ukraine, to the front", 3, ["The", "250", "Ukraine"]),
        ("copper copper works", 5, ["copper", "works"]),
        ("a b c", 5, []),
        ("", 5, []),
        ("O'Neill's state-owned firm", 2, ["O'Neill's", "state-owned"]),
    ],
)
def test_telling_words(text: str, most: int, words: list[str]) -> None:
    assert telling_words(text, most) == words


def test_two_checks_of_one_process_wait_for_each_other(httpserver: HTTPServer, slept: list[float]) -> None:
    httpserver.expect_request("/api/v2/doc/doc").respond_with_json({"articles": [article(1)]})
    for text in ("copper works", "harbor office"):
        get_provider(f"gdelt@{httpserver.url_for('')}").search(SearchQuery(0, text, before=DAY))
    assert slept == [5.0]


def test_a_query_without_words_asks_nobody(wiki: Made, httpserver: HTTPServer) -> None:
    asked = wiki({})
    assert wikipedia(httpserver, SearchQuery(0, "? !")) == []
    assert asked == []
