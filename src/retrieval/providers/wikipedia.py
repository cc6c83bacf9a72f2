"""Wikipedia, by the API of MediaWiki: `wikipedia`, `wikipedia@https://de.wikipedia.org`. Needs no key.

A result is the page, or with `query.before` the last revision of the page up to that day, at its permanent address. Its
date is that of the revision. A page that did not exist yet gives no result. All words of a query must be in a page; if
none has them, fewer words are searched.

Limitations: revisions are looked up one by one, as the API demands. robots.txt of Wikipedia asks crawlers not to fetch
old revisions, so `--robots` refuses them; the text that the API extracts is no help, since it has the latest one only.
Not tested against the live API.
"""

from typing import TypeVar
from urllib.parse import quote, urlencode

import msgspec

from src.retrieval.providers.protocol import SearchQuery, SearchResult
from src.retrieval.providers.server import SearchServer, contact_header
from src.retrieval.providers.telling_words import telling_words

ADDRESS = "https://en.wikipedia.org"
MOST = 50  # the API's largest number of results
WORDS = (12, 5, 3)  # words of a query and of the queries after it, while nothing is found

T = TypeVar("T")


class _Hit(msgspec.Struct):
    title: str


class _Search(msgspec.Struct):
    search: list[_Hit]


class _SearchAnswer(msgspec.Struct):
    query: _Search


class _Revision(msgspec.Struct):
    revid: int
    timestamp: str


class _Page(msgspec.Struct):
    revisions: list[_Revision] = []


class _Pages(msgspec.Struct):
    pages: list[_Page]


class _RevisionAnswer(msgspec.Struct):
    query: _Pages


def load(argument: str, timeout: float) -> "WikipediaSearch":
    return WikipediaSearch(argument or ADDRESS, timeout)


class WikipediaSearch:
    def __init__(self, address: str, timeout: float) -> None:
        self._address = address
        self._server = SearchServer("wikipedia", timeout)
        self._revisions: dict[tuple[str, str], SearchResult | None] = {}

    def requests(self, results: int) -> int:
        return len(WORDS) + min(results, MOST)

    def search(self, query: SearchQuery) -> list[SearchResult]:
        titles = self._titles(query)
        if query.before is None:
            return [SearchResult(f"{self._address}/wiki/{quote(title.replace(' ', '_'))}") for title in titles]
        last = f"{query.before.isoformat()}T23:59:59Z"
        return [found for title in titles if (found := self._revision(title, last)) is not None]

    def _titles(self, query: SearchQuery) -> list[str]:
        """Return the titles of the articles that the search finds, best first."""
        for text in filter(None, dict.fromkeys(" ".join(telling_words(query.text, most)) for most in WORDS)):
            answer = self._ask(
                _SearchAnswer,
                {"list": "search", "srsearch": text, "srlimit": min(query.results, MOST), "srnamespace": 0,
                 "srprop": ""},
            )  # fmt: skip
            if answer.query.search:
                return [hit.title for hit in answer.query.search]
        return []

    def _revision(self, title: str, last: str) -> SearchResult | None:
        """Return the last revision of an article up to a time in UTC; None if there is none."""
        if (title, last) not in self._revisions:
            answer = self._ask(
                _RevisionAnswer,
                {"prop": "revisions", "titles": title, "rvprop": "ids|timestamp", "rvlimit": 1, "rvdir": "older",
                 "rvstart": last},
            )  # fmt: skip
            known = [revision for page in answer.query.pages for revision in page.revisions]
            self._revisions[title, last] = self._result(title, known[0]) if known else None
        return self._revisions[title, last]

    def _result(self, title: str, revision: _Revision) -> SearchResult:
        parameters = urlencode({"title": title.replace(" ", "_"), "oldid": revision.revid})
        return SearchResult(f"{self._address}/w/index.php?{parameters}", revision.timestamp[:10])

    def _ask(self, answer: type[T], params: dict[str, str | int]) -> T:
        common: dict[str, str | int] = {"action": "query", "format": "json", "formatversion": 2}
        return self._server.ask(f"{self._address}/w/api.php", answer, params=common | params, headers=contact_header())
