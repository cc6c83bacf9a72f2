"""News of the whole world since 2017, by the DOC 2.0 API of the GDELT Project. Needs no key.

All words of a query must be in an article; if none has them, fewer words are searched. Only articles in English are
asked for. The date of a result is the day on which GDELT saw the article first.

Limitations: the API answers one request in five seconds, so a query takes five to ten seconds. It names at most 250
articles. Its errors are texts with status 200, which fail the query. Not tested against the live API.
"""

from datetime import UTC, date, datetime

import msgspec

from src.retrieval.providers.protocol import SearchQuery, SearchResult
from src.retrieval.providers.server import WITHOUT_KEY, SearchServer, contact_header
from src.retrieval.providers.telling_words import telling_words

ADDRESS = "https://api.gdeltproject.org"
MOST = 250
EVERY = 5.0  # seconds between requests
WORDS = (6, 3)  # words of a query and of the query after it, if nothing is found
SHORTEST = 3  # characters of a word, as the API demands
FIRST_DAY = date(2017, 1, 1)  # of the archive


class _Article(msgspec.Struct):
    url: str
    seendate: str = ""


class _Answer(msgspec.Struct):
    articles: list[_Article] = []


def load(argument: str, timeout: float) -> "GdeltSearch":
    return GdeltSearch(argument or ADDRESS, timeout)


class GdeltSearch:
    def __init__(self, address: str, timeout: float) -> None:
        self._url = f"{address}/api/v2/doc/doc"
        self._server = SearchServer("gdelt", timeout, refused=WITHOUT_KEY, every=EVERY)
        self._found: dict[tuple[str, int, date], list[SearchResult]] = {}

    def requests(self, results: int) -> int:
        return len(WORDS)

    def search(self, query: SearchQuery) -> list[SearchResult]:
        """Return the articles that the API finds. Words that were searched before are not searched again."""
        last = query.before or datetime.now(UTC).date()
        if last < FIRST_DAY:
            return []
        for words in dict.fromkeys(" ".join(map(_quoted, telling_words(query.text, most, SHORTEST))) for most in WORDS):
            key = (words, query.results, last)
            if words and key not in self._found:
                self._found[key] = self._articles(*key)
            if found := self._found.get(key):
                return found
        return []

    def _articles(self, words: str, results: int, last: date) -> list[SearchResult]:
        params: dict[str, str | int] = {
            "query": f"{words} sourcelang:english", "mode": "artlist", "format": "json", "sort": "hybridrel",
            "maxrecords": min(results, MOST), "startdatetime": f"{FIRST_DAY:%Y%m%d}000000",
            "enddatetime": f"{last:%Y%m%d}235959",
        }  # fmt: skip
        answer = self._server.ask(self._url, _Answer, params=params, headers=contact_header())
        return [SearchResult(article.url, _day(article.seendate)) for article in answer.articles]


def _quoted(word: str) -> str:
    """Return the word as GDELT takes it: other characters than letters and digits only in quotes."""
    return word if word.isalnum() else f'"{word}"'


def _day(seen: str) -> str | None:
    """Return the day of a time such as `20230725T120000Z` as `2023-07-25`; None for another text."""
    try:
        return datetime.strptime(seen, "%Y%m%dT%H%M%SZ").date().isoformat()
    except ValueError:
        return None
