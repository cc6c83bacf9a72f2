"""An article from its file to the list of its claims, and to pages; one claim that fails."""

import io
import json
import re
import sys
from pathlib import Path

import pytest
from lxml.html import document_fromstring  # type: ignore[import-untyped]
from pytest_httpserver import HTTPServer

from src.check import CheckedClaim, CheckRequest, Models, OwnDocument, Sources, Strategy, __main__, check_claim
from src.check.article.check_article import CheckedArticle, check_article, claims_to_check
from src.check.article.listing import listed
from src.errors import Cancelled, InputError, NetworkError, RefusedClaimError, StoreError
from src.report.article_page import write_pages

TEXT = (
    "The water of Hexley Bay turned red in 2021. Nils Holm has <b>12</b> boats. He said that Oslo has 3 harbors.\n"
    "Why is it so?"
)
OWN = Sources(documents=(OwnDocument("text:1", b"The water of Hexley Bay turned red in 2021."),))
REQUEST = CheckRequest("", OWN, strategy=Strategy.PROGRAMS)


@pytest.fixture
def article(models: Models) -> CheckedArticle:
    """Three claims, the second of which fails."""

    def check(request: CheckRequest) -> CheckedClaim:
        if "boats" in request.claim:
            raise StoreError("no page could be read")
        return check_claim(request, models=models)

    told: list[str] = []
    made = check_article("news.txt", claims_to_check("news.txt", TEXT, 5), REQUEST, check, told.append)
    assert [line.partition(":")[0] for line in told] == ["claim 1 of 3", "claim 2 of 3", "claim 3 of 3"]
    return made


@pytest.mark.long
def test_a_claim_that_fails_takes_none_of_the_others_down(article: CheckedArticle, tmp_path: Path) -> None:
    assert [part.checked is None for part in article.parts] == [False, True, False]
    assert article.failed == 1
    checked = article.parts[2].checked
    assert checked is not None
    assert (checked.claim.claim, checked.claim.speaker) == ("Oslo has 3 harbors.", "Nils Holm")
    text = listed(article)
    assert "[2] Failed: Nils Holm has <b>12</b> boats.\n    no page could be read" in text
    assert "    said by Nils Holm" in text
    assert "Not checked\n    Why is it so? (a question)" in text

    write_pages(article, tmp_path / "news.html")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["news-1.html", "news-3.html", "news.html"]
    page = document_fromstring((tmp_path / "news.html").read_text())
    assert page.xpath("//main//a/@href") == ["news-1.html", "news-3.html"]
    assert "Nils Holm has <b>12</b> boats." in page.text_content()
    assert document_fromstring((tmp_path / "news-1.html").read_text()).xpath("//nav//a/@href") == ["news.html"]


def test_a_text_without_claims_is_refused() -> None:
    with pytest.raises(InputError, match=r"news\.txt: no sentence can be checked \(a question\)"):
        claims_to_check("news.txt", "Why is it so?", 5)


def checks_of(*outcomes: Exception) -> CheckedArticle:
    """Return the article whose claims fail with these errors, one each."""
    errors = iter(outcomes)

    def fail(request: CheckRequest) -> CheckedClaim:
        raise next(errors)

    return check_article("news.txt", claims_to_check("news.txt", TEXT, 5), REQUEST, fail, lambda _: None)


def test_a_claim_that_is_refused_takes_none_of_the_others_down() -> None:
    refused = checks_of(
        RefusedClaimError("it seems to be in German"), StoreError("no page"), RefusedClaimError("is long")
    )
    assert [one.failure for one in refused.parts] == ["it seems to be in German", "no page", "is long"]


def test_a_search_that_ends_keeps_the_claims_before() -> None:
    ended = checks_of(StoreError("no page"), NetworkError("the quota is used up"))
    assert [one.failure for one in ended.parts] == ["no page", "the quota is used up", "the quota is used up"]
    for error in (NetworkError("no network"), InputError("the key is refused")):
        with pytest.raises(type(error), match=str(error)):
            checks_of(error)


def test_a_check_that_is_cancelled_ends_all() -> None:
    def stop(request: CheckRequest) -> CheckedClaim:
        raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        check_article("news.txt", claims_to_check("news.txt", TEXT, 5), REQUEST, stop, lambda _: None)


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> list[CheckRequest]:
    """The requests for checks, each of which fails."""
    seen: list[CheckRequest] = []

    def fail(request: CheckRequest, **_: object) -> None:
        seen.append(request)
        raise StoreError("enough")

    monkeypatch.setattr(__main__, "check_claim", fail)
    return seen


@pytest.mark.parametrize("source", ["file", "address", "standard input"])
def test_an_article_comes_from_a_file_an_address_or_standard_input(
    source: str,
    requests: list[CheckRequest],
    tmp_path: Path,
    httpserver: HTTPServer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "news.html"
    lines = re.sub("^|$", "<p>", TEXT.replace("<b>12</b>", "12"))
    path.write_text(f"<html><body><article>{lines}</article></body></html>")
    httpserver.expect_request("/news").respond_with_data(path.read_bytes(), content_type="text/html")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
    name = {"file": str(path), "address": httpserver.url_for("/news"), "standard input": "-"}[source]
    flags = ["--text", "Eels swim.", "--most_claims", "2", "--allow_private", "--json", "--quiet"]
    assert __main__.main(["--article", name, *flags]) == 1
    printed = json.loads(capsys.readouterr().out)
    assert printed["name"] == {"file": "news.html", "address": name, "standard input": "standard input"}[source]
    assert [part["failure"] for part in printed["parts"]] == ["enough"] * 2
    assert [request.claim for request in requests] == [part["claim"]["claim"] for part in printed["parts"]]
    assert len({request.sources.knowledge_store for request in requests}) == 1  # its pages are read once


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["Eels swim.", "--article", "a.txt"], "give either a claim or --article"),
        ([], "the claim is empty"),
        (["Eels swim.", "--text", "x", "--most_claims", "2"], "--most_claims goes with --article"),
        (["--article", "-", "--urls", "-"], "standard input is named twice"),
        (
            ["--article", "FOLDER/news.txt", "--text", "x", "--date", "soon"],
            "field date: 'soon' is no day, such as 31-10-2020 or 2020-10-31",
        ),
        (
            ["--article", "FOLDER/news.txt", "--file", "FOLDER/out-1.html", "--page", "FOLDER/out.html"],
            "FOLDER/out-1.html: the page would overwrite --file FOLDER/out-1.html",
        ),
        (["--article", "FOLDER/no.txt", "--text", "x"], "FOLDER/no.txt: not found"),
        (["--article", "FOLDER/empty.txt", "--text", "x"], "the article FOLDER/empty.txt: empty page"),
    ],
)
def test_bad_input_is_one_line(
    flags: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty.txt").write_text(" ")
    for name in ("news.txt", "out-1.html"):
        (tmp_path / name).write_text("Nils Holm has 12 boats.")
    assert __main__.main([*(flag.replace("FOLDER", str(tmp_path)) for flag in flags), "--quiet"]) == 2
    assert capsys.readouterr().err == f"error: {message.replace('FOLDER', str(tmp_path))}\n"
