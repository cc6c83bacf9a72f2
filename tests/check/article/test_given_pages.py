"""Pages that are given for an article are fetched once, and judged for each claim."""

from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from src.check import CheckRequest, OwnDocument, Sources
from src.check.article.given_pages import given_pages
from src.check.asking import claim_of
from src.check.pages import Pages, pages_of
from src.check.run_context import RunContext
from src.check.scraping import Scraping
from src.errors import Cancelled

TOLD: list[str] = []
CONTEXT = RunContext(lambda event: TOLD.append(event.text), lambda: False)
PAGE = "<html><head><meta property='article:published_time' content='2024-05-01'></head><body><p>{}</p></body></html>"
EELS = "The eels of the river Ansel swim to the sea every year, the warden of the river says."


def pages(request: CheckRequest, how: Scraping) -> Pages:
    return pages_of(claim_of(request), request, how, CONTEXT)


def test_pages_are_fetched_once_for_all_claims(httpserver: HTTPServer) -> None:
    httpserver.expect_ordered_request("/eels").respond_with_data(PAGE.format(EELS), content_type="text/html")
    url, how = httpserver.url_for("/eels"), Scraping(allow_private=True)
    own = OwnDocument("text:1", b"Trout stay in the river all year.")
    request = CheckRequest("any claim", Sources(urls=(url,), documents=(own,)), date="1-1-2024")
    with given_pages(request, how, CONTEXT) as asked:
        assert asked.date == request.date
        found = [pages(asked, how) for _ in range(2)]
        folder = asked.sources.knowledge_store
        assert folder is not None
    for one in found:
        assert [log.url for log in one.logs] == ["text:1", url]
        assert [log.reason for log in one.logs] == ["", one.refused[1]]
        assert "2024-05-01" in one.refused[1]  # dated after the claims
        assert one.notes == []
    assert not folder.parent.exists()
    assert len(httpserver.log) == 1


@pytest.mark.parametrize("sources", [Sources(search="wikipedia"), Sources(knowledge_store=Path("a.json"))])
def test_what_is_searched_or_stored_is_left_to_each_claim(sources: Sources) -> None:
    request = CheckRequest("any claim", sources)
    with given_pages(request, Scraping(), CONTEXT) as asked:
        assert asked is request


def test_pages_in_other_languages_are_still_noticed() -> None:
    text = "Die Aale schwimmen jedes Jahr ins Meer, sagt der Wächter des Flusses in seinem Bericht."
    request = CheckRequest("any claim", Sources(documents=(OwnDocument("text:1", text.encode()),)))
    with given_pages(request, Scraping(), CONTEXT) as asked:
        assert pages(asked, Scraping()).other_languages == "1 of 1 page is not in English (German)"


def test_reading_can_be_cancelled() -> None:
    request = CheckRequest("any claim", Sources(documents=(OwnDocument("text:1", b"Eels swim."),)))
    with (
        pytest.raises(Cancelled),
        given_pages(request, Scraping(), RunContext(lambda _: None, lambda: True)),
    ):
        pytest.fail("it was cancelled")
