"""Several providers at once: turns, repeated pages, failures of some and of all."""

import pytest
from pytest_httpserver import HTTPServer

from src.errors import Cancelled, ClaimError, FactCheckError, InputError, NetworkError
from src.retrieval.providers import (
    FactCheck,
    PartlyFailedError,
    RefusedQueryError,
    SearchQuery,
    SearchResult,
    fact_check_address,
    get_provider,
    lacking,
    provider_notes,
)
from src.retrieval.providers.fact_checks import find_fact_checks
from src.retrieval.providers.protocol import LATER
from src.retrieval.providers.several import SeveralProviders

QUERY = SearchQuery(0, "words")


class Fixed:
    """Gives the same results, or raises the same error, for every query."""

    def __init__(self, *urls: str, error: FactCheckError | None = None) -> None:
        self._urls, self._error, self.asked = urls, error, 0

    def requests(self, results: int) -> int:
        return 2

    def search(self, query: SearchQuery) -> list[SearchResult]:
        self.asked += 1
        if self._error:
            raise self._error
        return [SearchResult(url) for url in self._urls]


def urls(results: list[SearchResult]) -> list[str]:
    return [result.url for result in results]


def test_results_take_turns_and_a_page_comes_once() -> None:
    copy = "https://web.archive.org/web/2020/https://www.a.example/1"
    several = SeveralProviders([Fixed("https://a.example/1", "https://a.example/2"),
                                Fixed("https://b.example/1", copy, "https://b.example/3")])  # fmt: skip
    assert urls(several.search(QUERY)) == [
        "https://a.example/1", "https://b.example/1", "https://a.example/2", "https://b.example/3"
    ]  # fmt: skip
    assert several.requests(30) == 4


@pytest.mark.parametrize("error", [ClaimError("gdelt: slow"), NetworkError("gdelt: away"), InputError("gdelt: key")])
def test_if_one_fails_the_results_of_the_others_are_kept(error: FactCheckError) -> None:
    with pytest.raises(PartlyFailedError, match="gdelt: ") as raised:
        SeveralProviders([Fixed("https://a.example"), Fixed(error=error)]).search(QUERY)
    assert urls(raised.value.results) == ["https://a.example"]


@pytest.mark.parametrize(
    ("error", "asked"),
    [
        (ClaimError("gdelt: slow"), 3),
        (RefusedQueryError("gdelt: HTTP 400: no"), 3),
        (NetworkError("gdelt: away"), 1),
        (InputError("gdelt: key"), 1),
    ],
)
def test_a_provider_that_answers_no_further_query_is_not_asked_again(error: FactCheckError, asked: int) -> None:
    fails = Fixed(error=error)
    several = SeveralProviders([fails, Fixed("https://a.example")])
    for _ in range(3):
        with pytest.raises(PartlyFailedError, match=r"^gdelt: ") as raised:
            several.search(QUERY)
        assert "--start" not in str(raised.value)
    assert fails.asked == asked


def test_a_page_keeps_the_introduction_that_only_a_later_provider_has() -> None:
    class Introduced(Fixed):
        def search(self, query: SearchQuery) -> list[SearchResult]:
            return [SearchResult("https://www.a.example/1", "2024-01-01", "Eels swim.")]

    results = SeveralProviders([Fixed("https://a.example/1"), Introduced()]).search(QUERY)
    assert results == [SearchResult("https://a.example/1", "2024-01-01", "Eels swim.")]


@pytest.mark.parametrize(
    ("second", "raised", "message"),
    [
        (ClaimError("gdelt: slow"), ClaimError, "brave: used up; gdelt: slow"),
        (NetworkError("gdelt: away"), NetworkError, "brave: used up; gdelt: away; start again later, .*"),
        (InputError("gdelt: key"), InputError, "brave: used up; gdelt: key"),
        (
            RefusedQueryError("gdelt: HTTP 400: no"),
            RefusedQueryError,
            "brave: used up; gdelt: HTTP 400: no .*--start.*",
        ),
    ],
)
def test_if_all_fail_the_error_has_all_messages(
    second: FactCheckError, raised: type[FactCheckError], message: str
) -> None:
    first = NetworkError(f"brave: used up; {LATER}")
    with pytest.raises(raised, match=f"^{message}$"):
        SeveralProviders([Fixed(error=first), Fixed(error=second)]).search(QUERY)


def test_cancelling_ends_a_search() -> None:
    with pytest.raises(Cancelled):
        SeveralProviders([Fixed("https://a.example"), Fixed(error=Cancelled("stopped"))]).search(QUERY)


def test_several_are_named_with_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = "searxng@http://a.example/?x=1,2,brave,wikipedia@http://b.example,google"
    assert isinstance(get_provider(spec), SeveralProviders)
    assert provider_notes(spec) == ["Google's Custom Search API takes no new customers and ends on 2027-01-01"]
    monkeypatch.delenv("BRAVE_API_KEY")
    monkeypatch.delenv("GOOGLE_API_KEY")
    assert [part.partition(" ")[0] for part in lacking(spec).split("; ")[::2]] == ["BRAVE_API_KEY", "GOOGLE_API_KEY"]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("brave,brave", "a provider is named twice"),
        ("brave,file:urls.txt", "file:PATH is searched alone"),
        ("brave,altavista", "unknown provider 'brave,altavista'"),
        ("factcheck", "factcheck finds no evidence; name another provider, too: wikipedia,factcheck"),
    ],
)
def test_specs_that_cannot_be_searched(spec: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        get_provider(spec)


def test_fact_checks_are_asked_for_apart() -> None:
    assert not isinstance(get_provider("brave,factcheck"), SeveralProviders)
    assert fact_check_address("brave,factcheck") == ""
    assert fact_check_address("factcheck@http://a.example/,brave") == "http://a.example"
    assert fact_check_address("brave") is None


def test_fact_checks_of_google(httpserver: HTTPServer) -> None:
    review = {
        "publisher": {"name": "The Desk", "site": "desk.example"},
        "url": "https://desk.example/1",
        "title": "No, eels do not fly",
        "reviewDate": "2020-10-30T00:00:00Z",
        "textualRating": "Mostly false",
        "languageCode": "en",
    }
    site = {"publisher": {"site": "other.example"}, "url": "https://other.example/2", "textualRating": "Untrue"}
    claims = [
        {"text": "Eels fly.", "claimant": "Nils", "claimDate": "2020-10-01T00:00:00Z", "claimReview": [review, site]},
        {"text": "Without a page", "claimReview": [{"textualRating": "False"}]},
    ]
    httpserver.expect_request("/v1alpha1/claims:search").respond_with_json({"claims": claims, "nextPageToken": "x"})
    assert find_fact_checks("Eels fly.", httpserver.url_for("").rstrip("/")) == [
        FactCheck("https://desk.example/1", "Mostly false", "The Desk", "No, eels do not fly", "Eels fly.", "Nils",
                  "2020-10-30"),
        FactCheck("https://other.example/2", "Untrue", "other.example", "", "Eels fly.", "Nils"),
    ]  # fmt: skip
    assert dict(httpserver.log[0][0].args) == {
        "query": "Eels fly.", "languageCode": "en", "pageSize": "10", "key": "secret-factcheck"
    }  # fmt: skip


def test_where_nothing_is_known_there_are_no_fact_checks(httpserver: HTTPServer) -> None:
    httpserver.expect_request("/v1alpha1/claims:search").respond_with_json({})
    assert find_fact_checks("Eels fly.", httpserver.url_for("").rstrip("/")) == []


@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        (400, {"code": 400, "message": "API key not valid", "details": [{"reason": "API_KEY_INVALID"}]}, InputError),
        (429, {"code": 429, "message": "Quota exceeded", "status": "RESOURCE_EXHAUSTED"}, NetworkError),
        (200, [], ClaimError),
    ],
)
def test_errors_of_the_fact_check_api(
    httpserver: HTTPServer, status: int, body: object, error: type[FactCheckError]
) -> None:
    answer = {"error": body} if status != 200 else body
    httpserver.expect_request("/v1alpha1/claims:search").respond_with_json(answer, status=status)
    with pytest.raises(error, match="factcheck: ") as raised:
        find_fact_checks("Eels fly.", httpserver.url_for("").rstrip("/"))
    assert "secret" not in str(raised.value)
