"""Wikipedia, by the API of MediaWiki: `wikipedia`, `wikipedia@https://de.wikipedia.org`. Needs no key.

A result is the article. Its date is that of its latest revision, and it has the introduction of the article as plain
text, from the extension TextExtracts: one request gives them for twenty articles. With `query.before`, a result is the
last revision of the article up to that day, at its permanent address, and its date is that of the revision. An article
that did not exist yet gives no result. All words of a query must be in an article; if none has them, fewer words are
searched.

Limitations: with `query.before`, revisions are looked up one by one, as the API demands, and there is no introduction,
since TextExtracts has the latest revision only. robots.txt of Wikipedia asks crawlers not to fetch old revisions, so
`--robots` refuses them. A wiki without TextExtracts gives no introductions. Not tested against the live API.
"""

from typing import TypeVar
from urllib.parse import quote, urlencode

import msgspec

from src.retrieval.providers.protocol import SearchQuery, SearchResult
from src.retrieval.providers.server import WITHOUT_KEY, SearchServer, contact_header
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


class _Article(msgspec.Struct):
    pageid: int
    title: str
    index: int = 0  # place among the results of the search
    extract: str = ""
    revisions: list[_Revision] = []


class _Articles(msgspec.Struct):
    pages: list[_Article]


class _ArticlesAnswer(msgspec.Struct):
    """Answer with the articles that a search finds; `query` is absent if there are none.

    An answer without `batchcomplete` lacks properties of some articles; a request with `following` gives them.
    """

    batchcomplete: bool = False
    following: dict[str, str | int] = msgspec.field(default_factory=dict, name="continue")
    query: _Articles | None = None

    def __post_init__(self) -> None:
        if self.query is None and not self.batchcomplete:
            raise ValueError("neither articles nor the end of the results")


def load(argument: str, timeout: float) -> "WikipediaSearch":
    return WikipediaSearch(argument or ADDRESS, timeout)


class WikipediaSearch:
    def __init__(self, address: str, timeout: float) -> None:
        self._address = address
        self._server = SearchServer("wikipedia", timeout, refused=WITHOUT_KEY)
        self._revisions: dict[tuple[str, str], SearchResult | None] = {}

    def requests(self, results: int) -> int:
        return len(WORDS) + min(results, MOST)

    def search(self, query: SearchQuery) -> list[SearchResult]:
        most = min(query.results, MOST)
        texts = filter(None, dict.fromkeys(" ".join(telling_words(query.text, words)) for words in WORDS))
        if query.before is None:
            return next(filter(None, (self._articles(text, most) for text in texts)), [])
        titles: list[str] = next(filter(None, (self._titles(text, most) for text in texts)), [])
        last = f"{query.before.isoformat()}T23:59:59Z"
        return [found for title in titles if (found := self._revision(title, last)) is not None]

    def _articles(self, text: str, most: int) -> list[SearchResult]:
        """Return the articles that the search finds, best first, with their introductions."""
        asked: dict[str, str | int] = {
            "generator": "search", "gsrsearch": text, "gsrlimit": most, "gsrnamespace": 0,
            "prop": "extracts|revisions", "exintro": 1, "explaintext": 1, "exlimit": "max", "rvprop": "ids|timestamp",
        }  # fmt: skip
        articles: dict[int, _Article] = {}
        following: dict[str, str | int] = {}
        for _ in range(most):
            answer = self._ask(_ArticlesAnswer, asked | following)
            for one in answer.query.pages if answer.query else []:
                known = articles.setdefault(one.pageid, one)
                known.extract, known.revisions = known.extract or one.extract, known.revisions or one.revisions
            following = answer.following
            if answer.batchcomplete or not following:
                break
        return [self._current(one) for one in sorted(articles.values(), key=lambda article: article.index)]

    def _current(self, article: _Article) -> SearchResult:
        day = article.revisions[0].timestamp[:10] if article.revisions else None
        url = f"{self._address}/wiki/{quote(article.title.replace(' ', '_'))}"
        return SearchResult(url, day, article.extract.strip())

    def _titles(self, text: str, most: int) -> list[str]:
        """Return the titles of the articles that the search finds, best first."""
        asked: dict[str, str | int] = {
            "list": "search", "srsearch": text, "srlimit": most, "srnamespace": 0, "srprop": ""
        }  # fmt: skip
        return [hit.title for hit in self._ask(_SearchAnswer, asked).query.search]

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
