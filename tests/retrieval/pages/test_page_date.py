"""The publication date of a page."""

import json
from datetime import date

import pytest

from src.retrieval.pages.page_date import html_date, json_date, pdf_date, text_date

LATEST = date(2024, 6, 30)
URL = "https://a.example/story"


def ld(*values: object) -> str:
    return "".join(f'<script type="application/ld+json">{json.dumps(value)}</script>' for value in values)


def published(page: str, url: str = URL) -> str | None:
    return html_date(f"<html><head><title>A</title></head><body>{page}</body></html>", url, LATEST)


@pytest.mark.parametrize(
    "page",
    [
        ld({"@type": "NewsArticle", "datePublished": "2023-02-14T10:00:00Z", "dateModified": "2024-01-01"}),
        ld({"@graph": [{"@type": ["Thing", "BlogPosting"], "datePublished": "2023-02-14"}]}),
        '<meta property="article:published_time" content="2023-02-14T10:00:00Z">',
        "<META content='2023-02-14' NAME='DC.date.issued'/>",
        "<meta itemprop=datePublished content=2023-02-14>",
        '<meta name="citation_publication_date" content="2023/02/14">',
        '<meta property="article:modified_time" content="2024-01-01">'
        '<meta property="article:published_time" content="2023-02-14">',
        '<time pubdate datetime="2023-02-14">Tuesday</time>',
        '<time class="entry-date published" datetime="2023-02-14T10:00"></time>',
        '<abbr class="published" title="2023-02-14T16:51:22">Tuesday</abbr>',
        '<div class="date">Tuesday, 14 February 2023</div>',
    ],
)
def test_a_page_that_gives_its_date(page: str) -> None:
    assert published(page) == "2023-02-14"


@pytest.mark.parametrize(
    "page",
    [
        "",
        "<p>The ferry sank on 14 February 2023, in the evening.</p>",
        '<!-- <meta name="pubdate" content="2023-02-14"> -->',
        '<meta property="article:published_time" content="2030-01-01">',
        '<meta property="article:published_time" content="1970-01-01">',
        "\0\ud800",
        "<div>" * 50_000,
    ],
)
def test_a_page_without_a_date(page: str) -> None:
    assert published(page) is None


@pytest.mark.parametrize(
    ("url", "day"),
    [
        ("https://a.example/2023/02/14/jobless-rate-edges-up", "2023-02-14"),
        ("https://a.example/news/2023-02-14", "2023-02-14"),
        ("https://a.example/2023/2/14/", "2023-02-14"),
        ("https://web.archive.example/web/20240101000000/https://a.example/2023/02/14/x", "2023-02-14"),
        ("https://a.example/2023/02/story", None),
        ("https://a.example/2023/02/30/x", None),
        ("https://a.example/2025/02/14/x", None),
        ("https://[", None),
        ("", None),
    ],
)
def test_the_date_in_a_url(url: str, day: str | None) -> None:
    assert text_date("Published on 15 March 2022", url, LATEST) == day
    assert pdf_date("", url, LATEST) == day


def test_the_page_comes_before_its_url() -> None:
    page = '<meta property="article:published_time" content="2023-02-15">'
    assert published(page, "https://a.example/2023/02/14/x") == "2023-02-15"
    assert published("", "https://a.example/2023/02/14/x") == "2023-02-14"


def test_a_json_document() -> None:
    assert json_date('{"@type": "Article", "datePublished": "2023-02-14"}', URL, LATEST) == "2023-02-14"
    assert json_date('{"@type": "Article"}', URL, LATEST) is None


def test_a_pdf_has_the_date_of_its_creation() -> None:
    assert pdf_date("20230214120000Z", "https://a.example/2022/02/14/x", LATEST) == "2023-02-14"
    assert pdf_date("20300214120000Z", "https://a.example/2022/02/14/x", LATEST) == "2022-02-14"
    assert pdf_date("soon", URL, LATEST) is None


def test_whatever_the_library_raises_a_page_keeps_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise RecursionError

    monkeypatch.setattr("htmldate.find_date", fails)
    assert published("") is None
