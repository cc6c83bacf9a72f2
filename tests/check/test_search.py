"""A claim checked by a search without a key: its pages, fact-checks by others apart from them, and what fails."""

import json
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from src.check import (
    CheckedClaim,
    CheckRequest,
    Models,
    OwnDocument,
    Scraping,
    Sources,
    Strategy,
    __main__,
    check_claim,
)
from src.check.introductions import EXTRACTOR
from src.check.pages import pages_of
from src.check.run_context import RunContext
from src.check.text import described
from src.errors import NetworkError, StoreError
from src.records import Claim
from src.report.claim_page import claim_page, view_of_check
from src.retrieval.providers import FactCheck, SearchQuery, SearchResult, server
from src.retrieval.providers.protocol import LATER

CLAIM = "Eels swim to the Sargasso Sea."
INTRODUCTION = "The eel is a fish that swims to the Sargasso Sea in order to spawn, and dies there.\nFish."
PAGE = "<html><body><article><p>{} Eels swim to the Sargasso Sea, where they spawn.</p></article></body></html>"


@pytest.fixture(autouse=True)
def _ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "FIRST_PAUSE", 0.001)
    monkeypatch.setenv("FACT_CHECK_API_KEY", "secret-factcheck")


@pytest.fixture
def home(httpserver: HTTPServer) -> str:
    """A wiki with three articles, one of which another site's fact-check is about, and the API of fact-checks."""

    def api(request: Request) -> Response:
        revision = {"revid": 7, "timestamp": "2024-01-01T00:00:00Z"}
        pages = [
            {"pageid": number, "title": title, "index": number, "extract": INTRODUCTION, "revisions": [revision]}
            for number, title in enumerate(("Eel", "Sargasso Sea", "Eels checked"))
        ]
        answer = {"batchcomplete": True, "query": {"pages": pages}}
        return Response(json.dumps(answer), content_type="application/json")

    home = httpserver.url_for("").rstrip("/")
    httpserver.expect_request("/w/api.php").respond_with_handler(api)
    for title in ("Eel", "Sargasso_Sea", "Eels_checked"):
        httpserver.expect_request(f"/wiki/{title}").respond_with_data(PAGE.format(title), content_type="text/html")
    review = {"publisher": {"name": "The <Desk>"}, "url": f"{home}/wiki/Eels_checked", "textualRating": "Mostly true",
              "reviewDate": "2020-10-30T00:00:00Z"}  # fmt: skip
    claims = {"claims": [{"text": "Eels swim far.", "claimant": "Nils", "claimReview": [review]}]}
    httpserver.expect_request("/v1alpha1/claims:search").respond_with_json(claims)
    return home


def checked(search: str, models: Models) -> CheckedClaim:
    request = CheckRequest(CLAIM, Sources(search=search), strategy=Strategy.PROGRAMS)
    return check_claim(request, models=models, scraping=Scraping(allow_private=True))


@pytest.mark.long
def test_fact_checks_by_others_are_shown_and_are_no_evidence(home: str, models: Models) -> None:
    result = checked(f"wikipedia@{home},factcheck@{home}", models)
    theirs = f"{home}/wiki/Eels_checked"
    assert [log.url for log in result.pages] == [f"{home}/wiki/Eel", f"{home}/wiki/Sargasso_Sea"]
    assert all(pair.url != theirs for pair in result.prediction.evidence)
    assert result.prediction.evidence
    assert result.fact_checks == [
        FactCheck(theirs, "Mostly true", "The <Desk>", "", "Eels swim far.", "Nils", "2020-10-30")
    ]
    assert "refused: 1 page with a fact-check of the claim by others" in result.notes
    text = " ".join(described(result).split())
    assert f"Mostly true (The <Desk>, 2020-10-30), of the claim 'Eels swim far.' by Nils: {theirs}" in text
    page = claim_page(view_of_check(result))
    assert "<strong>Mostly true</strong> by The &lt;Desk&gt;" in page
    assert "<q>Eels swim far.</q>" in page


def test_a_page_that_is_given_and_is_a_fact_check_is_no_evidence(home: str) -> None:
    theirs, eel = f"{home}/wiki/Eels_checked", f"{home}/wiki/Eel"
    request = CheckRequest(CLAIM, Sources((theirs, eel), f"wikipedia@{home},factcheck@{home}"))
    how, context = Scraping(allow_private=True), RunContext(lambda _: None, lambda: False)
    pages = pages_of(Claim(CLAIM, 0), request, how, context)
    assert [log.url for log in pages.logs] == [eel, f"{home}/wiki/Sargasso_Sea"]
    assert "refused: 1 page with a fact-check of the claim by others" in pages.notes


def test_a_search_that_is_refused_says_what_else_can_be_read(httpserver: HTTPServer) -> None:
    httpserver.expect_request("/w/api.php").respond_with_data("no", status=400)
    home = httpserver.url_for("").rstrip("/")
    request = CheckRequest(CLAIM, Sources(search=f"wikipedia@{home}"))
    with pytest.raises(StoreError) as raised:
        check_claim(request, scraping=Scraping(allow_private=True))
    message = "no page was found: wikipedia: HTTP 400: no; try again, or give pages or documents"
    assert str(raised.value).startswith(message)


def test_if_all_that_is_given_are_fact_checks_the_error_says_so(home: str, httpserver: HTTPServer) -> None:
    httpserver.expect_request("/empty/w/api.php").respond_with_json({"batchcomplete": True})
    request = CheckRequest(CLAIM, Sources((f"{home}/wiki/Eels_checked",), f"wikipedia@{home}/empty,factcheck@{home}"))
    how, context = Scraping(allow_private=True), RunContext(lambda _: None, lambda: False)
    with pytest.raises(StoreError, match=r"^no page was found but 1 page with a fact-check of the claim by others, "):
        pages_of(Claim(CLAIM, 0), request, how, context)


@pytest.mark.long
def test_of_an_article_that_cannot_be_fetched_the_introduction_is_read(
    home: str, models: Models, httpserver: HTTPServer
) -> None:
    httpserver.expect_oneshot_request("/wiki/Eel").respond_with_data("no", status=403)
    result = checked(f"wikipedia@{home}", models)
    first, *others = result.pages
    assert (first.url, first.reason, first.sentences, first.status) == (f"{home}/wiki/Eel", "", 1, 403)
    assert (first.date, first.extractor) == ("2024-01-01", EXTRACTOR)
    assert EXTRACTOR not in [log.extractor for log in others]
    note = f"only the introduction, as the search gives it, was read of 1 page: {home}/wiki/Eel (HTTP 403)"
    assert note in result.notes


@pytest.mark.parametrize("exclusion", ["", "/wiki/Eel"])
def test_a_page_that_is_excluded_gets_no_introduction(
    exclusion: str, home: str, httpserver: HTTPServer, tmp_path: Path
) -> None:
    for title in ("Eel", "Sargasso_Sea"):
        httpserver.expect_oneshot_request(f"/wiki/{title}").respond_with_data("no", status=404)
    (tmp_path / "excluded.txt").write_text(f"{home}{exclusion}\n" if exclusion else "")
    how = Scraping(allow_private=True, exclude_urls=tmp_path / "excluded.txt")
    request = CheckRequest(CLAIM, Sources((f"{home}/wiki/Eel",), f"wikipedia@{home}"))
    pages = pages_of(Claim(CLAIM, 0), request, how, RunContext(lambda _: None, lambda: False))
    read = {log.url.rpartition("/")[2]: log.reason for log in pages.logs}
    assert read == {"Eel": "excluded by excluded.txt, line 1" if exclusion else "", "Sargasso_Sea": "",
                    "Eels_checked": ""}  # fmt: skip


@pytest.mark.long
def test_a_check_goes_on_without_a_provider_or_fact_checks_that_fail(home: str, models: Models) -> None:
    gone = "http://127.0.0.1:9"
    result = checked(f"wikipedia@{home},searxng@{gone},factcheck@{gone}", models)
    assert len(result.pages) == 3
    assert result.fact_checks == []
    notes = [note for note in result.notes if "cannot be reached" in note]
    assert [note.partition(":")[0] for note in notes] == ["no fact-checks by others", "search"]


NOWHERE = "searxng@http://127.0.0.1:9"


def test_what_is_given_is_read_where_the_search_does_not_answer() -> None:
    own = (OwnDocument("text:1", b"Eels swim to the Sargasso Sea."),)
    context = RunContext(lambda _: None, lambda: False)
    pages = pages_of(Claim(CLAIM, 0), CheckRequest(CLAIM, Sources((), NOWHERE, documents=own)), Scraping(), context)
    assert [log.url for log in pages.logs] == ["text:1"]
    (note,) = [note for note in pages.notes if note.startswith("search: ")]
    assert note.startswith("search: searxng: the server cannot be reached")
    assert not note.endswith("start again later, it goes on from here")


def test_what_a_search_found_is_kept_when_it_ends_later(
    httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = httpserver.url_for("/eels")
    httpserver.expect_request("/eels").respond_with_data(
        "Eels swim to the Sargasso Sea. " * 5, content_type="text/plain"
    )

    class Ending:
        asked = 0

        def requests(self, results: int) -> int:
            return 1

        def search(self, query: SearchQuery) -> list[SearchResult]:
            self.asked += 1
            if self.asked > 1:
                raise NetworkError(f"the quota is used up; {LATER}")
            return [SearchResult(page)]

    ending = Ending()
    monkeypatch.setattr("src.check.pages.get_provider", lambda *_: ending)
    request = CheckRequest(CLAIM, Sources(search="brave"), speaker="Nils Holm")
    how, context = Scraping(allow_private=True), RunContext(lambda _: None, lambda: False)
    pages = pages_of(Claim(CLAIM, 0, speaker="Nils Holm"), request, how, context)
    assert [(log.url, log.reason) for log in pages.logs] == [(page, "")]
    assert "search: the quota is used up" in pages.notes
    assert ending.asked == 2


def test_where_no_provider_answers_the_check_ends(models: Models) -> None:
    with pytest.raises(NetworkError, match="searxng: the server cannot be reached"):
        checked(NOWHERE, models)


def test_without_a_source_of_pages_the_web_is_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    requests: list[CheckRequest] = []

    def stop(request: CheckRequest, **_: object) -> None:
        requests.append(request)
        raise NetworkError("enough")

    monkeypatch.setattr(__main__, "check_claim", stop)
    for flags in ([], ["--search", "wikipedia"]):
        assert __main__.main([CLAIM, *flags]) == 2
    assert [request.sources.search for request in requests] == ["wikipedia,gdelt", "wikipedia"]
