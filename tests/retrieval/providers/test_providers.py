"""Every provider alike, against a server that speaks its documented JSON."""

import socket
from collections.abc import Callable, Iterator
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
from msgspec.structs import replace
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from src.errors import Cancelled, ClaimError, FactCheckError, InputError, NetworkError
from src.retrieval.providers import SearchQuery, SearchResult, get_provider, server
from src.retrieval.providers.server import ATTEMPTS, SILENT_ATTEMPTS
from src.waiting import while_wanted
from tests.retrieval.providers.speaking import (
    ANSWERS,
    PAGES,
    PATHS,
    VARIABLES,
    Engine,
    brave_error,
    google_error,
    json_response,
)
from tests.retrieval.web.fault_server import FaultServer
from tests.retrieval.web.faults import FAULTS, Answer, answer

NAMES = sorted(ANSWERS)
KEYED = ["brave", "google", "serper"]
QUERY = SearchQuery(0, "who said what", results=30)
URLS = [f"https://site.example/{number}" for number in range(100)]

Fetch = Callable[..., Engine]


@pytest.fixture
def engine(httpserver: HTTPServer) -> Fetch:
    def make(name: str, urls: int = 100, first: list[Response] | None = None) -> Engine:
        return Engine(name, httpserver, URLS[:urls], first or [])

    return make


@pytest.fixture
def name() -> str:
    """Of what all providers share, one shows it."""
    return "serper"


def _urls(results: list[SearchResult]) -> list[str]:
    return [result.url for result in results]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("there", "wanted"), [(100, 30), (100, 45), (23, 30), (30, 30), (7, 30), (0, 30)])
def test_result_pages_are_requested_until_there_are_enough_results(
    name: str, there: int, wanted: int, engine: Fetch
) -> None:
    made = engine(name, there)
    provider = made.provider()
    results = provider.search(SearchQuery(0, "words", results=wanted))
    assert _urls(results) == URLS[: min(there, wanted)]
    assert len(made.asked) <= provider.requests(wanted) == -(-wanted // PAGES[name])


@pytest.mark.parametrize("name", ["brave", "google"])
def test_the_last_page_is_believed(name: str, engine: Fetch) -> None:
    made = engine(name, PAGES[name])
    assert len(made.provider().search(SearchQuery(0, "words", results=60))) == PAGES[name]
    assert len(made.asked) == 1


@pytest.mark.parametrize("name", NAMES)
def test_no_more_pages_than_the_provider_has(name: str) -> None:
    provider = get_provider(f"{name}@http://127.0.0.1:9")
    assert provider.requests(1_000_000) == {"google": 10, "brave": 10, "serper": 30, "searxng": 50}[name]


@pytest.mark.parametrize("name", ["brave", "serper", "searxng"])
def test_results_have_the_date_of_the_page(name: str, engine: Fetch) -> None:
    assert {result.date for result in engine(name, 3).provider().search(QUERY)} == {"2020-10-30"}


@pytest.mark.parametrize("status", [500, 502, 503, 408])
def test_a_server_error_is_tried_again(name: str, status: int, engine: Fetch) -> None:
    made = engine(name, 5, [Response("oops", status)] * 2)
    assert len(made.provider().search(QUERY)) == 5
    assert made.asked[0].url == made.asked[2].url


def test_server_errors_without_end_fail_the_query(name: str, engine: Fetch) -> None:
    made = engine(name, 5, [Response("<html><style>p{}</style><p>Bad\n gateway</p></html>", 502)] * ATTEMPTS)
    with pytest.raises(ClaimError) as raised:
        made.provider().search(QUERY)
    assert str(raised.value) == f"{name}: HTTP 502: Bad gateway"
    assert len(made.asked) == ATTEMPTS


def test_too_many_requests_with_a_pause_then_an_answer(
    name: str, engine: Fetch, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr("src.retrieval.providers.server.sleep", sleep)
    made = engine(name, 5, [Response("slow down", 429, {"Retry-After": "7"}), Response("slow down", 429)])
    assert len(made.provider().search(QUERY)) == 5
    assert slept[0] == 7
    assert 0 < slept[1] < 1


def test_a_pause_of_an_hour_is_the_users_to_wait(name: str, engine: Fetch) -> None:
    made = engine(name, 5, [Response("slow down", 429, {"Retry-After": "3600"})])
    with pytest.raises(NetworkError, match=f"^{name}: HTTP 429: slow down; start again later"):
        made.provider().search(QUERY)
    assert len(made.asked) == 1


def test_too_many_requests_without_end_stop_the_run(name: str, engine: Fetch) -> None:
    made = engine(name, 5, [Response("slow down", 429, {"Retry-After": "0"})] * ATTEMPTS)
    with pytest.raises(NetworkError, match="slow down"):
        made.provider().search(QUERY)


DAILY = "Quota exceeded for quota metric 'Queries' and limit 'Queries per day' of service 'customsearch.googleapis.com'"
BAD_KEY = "API key not valid. Please pass a valid API key."
FINAL: list[tuple[str, int, dict[str, Any], type[FactCheckError], str]] = [
    ("google", 429, google_error(429, DAILY, "rateLimitExceeded", "RESOURCE_EXHAUSTED"), NetworkError, "quota is used"),
    ("google", 403, google_error(403, "Daily Limit Exceeded", "dailyLimitExceeded"), NetworkError, "quota is used"),
    ("google", 400, google_error(400, BAD_KEY, "badRequest", "INVALID_ARGUMENT"), InputError, "not valid"),
    ("google", 403, google_error(403, "API not enabled", "forbidden"), InputError, "API not enabled"),
    ("google", 400, google_error(400, "An invalid argument.", "badRequest"), ClaimError, "invalid"),
    ("brave", 429, brave_error(429, "QUOTA_LIMITED", "Request quota limit exceeded for plan."), NetworkError, "quota"),
    ("brave", 422, brave_error(422, "SUBSCRIPTION_TOKEN_INVALID", "The token is invalid."), InputError, "token is inv"),
    ("brave", 422, {"type": "ErrorResponse", "errors": [{"detail": "Too long", "code": "VALIDATION"}]}, ClaimError,
     "HTTP 422: Too long"),
    ("serper", 403, {"message": "Unauthorized.", "statusCode": 403}, InputError, "Unauthorized"),
    ("serper", 400, {"message": "Not enough credits", "statusCode": 400}, NetworkError, "quota is used"),
    ("serper", 400, {"message": "Missing query parameter", "statusCode": 400}, ClaimError, "Missing query"),
    ("searxng", 403, {"error": "Forbidden"}, InputError, "does its settings.yml list json"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "status", "body", "kind", "words"), FINAL)
def test_errors_that_no_second_attempt_mends(
    name: str, status: int, body: dict[str, Any], kind: type[FactCheckError], words: str, engine: Fetch
) -> None:
    made = engine(name, 5)
    provider = made.provider()
    provider.search(QUERY)
    made.asked.clear()
    made.first = [json_response(body, status)]
    with pytest.raises(FactCheckError, match=words) as raised:
        provider.search(QUERY)
    assert type(raised.value) is kind
    assert str(raised.value).startswith(f"{name}: HTTP {status}: ")
    assert len(made.asked) == 1


@pytest.mark.parametrize("status", [400, 405, 422])
def test_a_refusal_before_any_answer_ends_the_run(name: str, status: int, engine: Fetch) -> None:
    made = engine(name, 5, [Response("no", status)])
    with pytest.raises(InputError, match=rf"^{name}: HTTP {status}: no \(nothing was answered before"):
        made.provider().search(QUERY)
    assert len(made.asked) == 1


def test_nothing_there_fails_the_query_alone(name: str, engine: Fetch) -> None:
    with pytest.raises(ClaimError, match="HTTP 404"):
        engine(name, 5, [Response("no", 404)]).provider().search(QUERY)


PASSING = [
    ("google", 429, google_error(429, "Queries per minute", "rateLimitExceeded", "RESOURCE_EXHAUSTED")),
    ("google", 403, google_error(403, "User Rate Limit Exceeded", "userRateLimitExceeded")),
    ("brave", 429, brave_error(429, "RATE_LIMITED", "Request rate limit exceeded for plan.")),
    ("serper", 429, {"message": "Rate limit exceeded", "statusCode": 429}),
]


@pytest.mark.parametrize(("name", "status", "body"), PASSING)
def test_limits_by_the_second_or_minute_pass(name: str, status: int, body: dict[str, Any], engine: Fetch) -> None:
    made = engine(name, 5, [json_response(body, status)] * 2)
    assert len(made.provider().search(QUERY)) == 5


NO_ANSWERS = ["<html><body>Captcha</body></html>", "", '{"results": [', "[1, 2]", "null", '{"hello": "world"}', "\xff"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", NO_ANSWERS)
def test_what_is_not_the_documented_json_fails_the_query(name: str, text: str, engine: Fetch) -> None:
    made = engine(name, 5, [Response(text.encode("latin-1"), 200)])
    with pytest.raises(ClaimError, match=f"^{name}: not the documented answer"):
        made.provider().search(QUERY)


def test_a_redirect_is_not_followed(name: str, engine: Fetch) -> None:
    made = engine(name, 5, [Response("moved", 302, {"Location": "http://127.0.0.1:9/"})])
    with pytest.raises(ClaimError, match="HTTP 302"):
        made.provider().search(QUERY)


def test_a_server_that_is_not_there_stops_the_run(name: str) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(NetworkError, match=rf"^{name}: the server cannot be reached: http://127.0.0.1:{port} \(Conn"):
        get_provider(f"{name}@http://me:pass@127.0.0.1:{port}", 1).search(QUERY)


@pytest.fixture
def attempts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """No connection is made from now on; returns the URL of each attempt."""
    urls: list[str] = []

    async def fail(request: httpx2.Request, *_: object, **__: object) -> httpx2.Response:
        urls.append(str(request.url))
        raise httpx2.ConnectError("[Errno -3] Temporary failure in name resolution", request=request)

    monkeypatch.setattr(httpx2.AsyncClient, "send", lambda _, request, **how: fail(request, **how))
    return urls


def test_a_server_that_was_never_reached_is_tried_twice_within_seconds(attempts: list[str]) -> None:
    began = monotonic()
    with pytest.raises(NetworkError, match=r"wikipedia: the server cannot .*gdelt: the server cannot"):
        get_provider("wikipedia,gdelt").search(QUERY)
    assert monotonic() - began < 3
    assert [urlsplit(url).netloc for url in attempts] == ["en.wikipedia.org"] * 2 + ["api.gdeltproject.org"] * 2


def test_a_server_that_was_never_reached_is_tried_once_where_that_takes_long(
    attempts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "NEVER_REACHED_SECONDS", 0.0)
    with pytest.raises(NetworkError):
        get_provider("wikipedia").search(QUERY)
    assert len(attempts) == 1


def test_a_server_that_was_reached_before_is_tried_as_often_as_after_other_errors(
    name: str, engine: Fetch, request: pytest.FixtureRequest
) -> None:
    provider = engine(name, 5).provider()
    provider.search(QUERY)
    attempts: list[str] = request.getfixturevalue("attempts")
    with pytest.raises(NetworkError, match="cannot be reached"):
        provider.search(QUERY)
    assert len(attempts) == ATTEMPTS


def test_a_server_that_never_answers_ends_the_run(name: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        provider = get_provider(f"{name}@http://127.0.0.1:{silent.getsockname()[1]}", 0.05)
        with pytest.raises(NetworkError, match=rf"^{name}: no answer within 0.05 s; start again later"):
            provider.search(QUERY)


@pytest.mark.parametrize("name", KEYED)
def test_a_missing_key_is_named(name: str, engine: Fetch, monkeypatch: pytest.MonkeyPatch) -> None:
    made = engine(name)
    provider = made.provider()  # made without a key
    for variable in VARIABLES:
        monkeypatch.delenv(variable)
    with pytest.raises(InputError, match=rf"^{name.upper()}_API_KEY is not set; the provider {name} needs it: export "):
        provider.search(QUERY)
    assert made.asked == []


@pytest.mark.parametrize("name", KEYED)
def test_the_key_is_in_no_message(name: str, httpserver: HTTPServer) -> None:
    secret = VARIABLES[f"{name.upper()}_API_KEY"]

    def echo(request: Request) -> Response:
        return Response(f"<p>no such thing: {request.url} {dict(request.headers)} {secret}</p>", 400)

    httpserver.expect_request(PATHS[name]).respond_with_handler(echo)
    with pytest.raises(InputError) as raised:
        get_provider(f"{name}@{httpserver.url_for('')}").search(QUERY)
    assert "no such thing" in str(raised.value)
    assert secret not in str(raised.value)
    with pytest.raises(NetworkError) as lost:
        get_provider(f"{name}@http://127.0.0.1:9").search(QUERY)
    assert secret not in str(lost.value)
    assert lost.value.__suppress_context__


@pytest.fixture
def faulty() -> Iterator[FaultServer]:
    with FaultServer() as running:
        yield running


@pytest.mark.parametrize("fault", ["byte-by-byte", "headers-byte-by-byte", "hang-mid-body"])
def test_the_timeout_is_for_the_whole_answer(fault: str, faulty: FaultServer) -> None:
    faulty.answer("search?q=who+said+what&format=json&pageno=1", FAULTS[fault])
    with pytest.raises(NetworkError, match=r"^searxng: no answer within 0.5 s; "):
        get_provider(f"searxng@{faulty.url('')}", 0.5).search(QUERY)
    assert faulty.requests.total() == SILENT_ATTEMPTS


def test_a_server_that_answered_before_fails_the_query_alone(faulty: FaultServer) -> None:
    faulty.answer("search?q=who+said+what&format=json&pageno=1", answer(b'{"results": []}'))
    faulty.answer("search?q=who+else&format=json&pageno=1", FAULTS["hang-mid-body"])
    provider = get_provider(f"searxng@{faulty.url('')}", 0.5)
    assert provider.search(QUERY) == []
    with pytest.raises(ClaimError, match=r"^searxng: no answer within 0.5 s$"):
        provider.search(replace(QUERY, text="who else"))


@pytest.mark.parametrize("fault", ["endless", "bomb-gzip"])
def test_an_answer_without_end_fails_the_query_at_once(fault: str, faulty: FaultServer) -> None:
    faulty.answer("search?q=who+said+what&format=json&pageno=1", FAULTS[fault])
    with pytest.raises(ClaimError, match=r"^searxng: the answer has more than 16,000,000 bytes$"):
        get_provider(f"searxng@{faulty.url('')}").search(QUERY)
    assert faulty.requests.total() == 1


@pytest.mark.parametrize("first", [FAULTS["byte-by-byte"], answer(status="429 No", Retry_After="100")])
def test_a_search_ends_at_once_where_it_is_not_wanted_any_more(first: Answer | bytes, faulty: FaultServer) -> None:
    def check() -> None:
        if faulty.requests:
            raise Cancelled("not wanted")

    faulty.answer("search?q=who+said+what&format=json&pageno=1", first)
    with while_wanted(check), pytest.raises(Cancelled):
        get_provider(f"searxng@{faulty.url('')}", 3600).search(QUERY)
    assert faulty.requests.total() == 1
