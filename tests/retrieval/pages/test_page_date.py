"""The day on which a page says that it was published."""

import json
from datetime import date

import pytest

from src.retrieval.pages.dates import written_day
from src.retrieval.pages.page_date import html_date, json_date, url_date

LATEST = date(2024, 6, 30)


def ld(*values: object) -> str:
    return "".join(f'<script type="application/ld+json">{json.dumps(value)}</script>' for value in values)


def published(page: str, url: str = "https://a.example/story") -> str | None:
    return html_date(page, url, LATEST)


@pytest.mark.parametrize(
    "text",
    [
        "2023-02-14",
        " 2023-02-14T23:59:59-08:00",
        "2023-02-14 10:00",
        "2023/2/14",
        "20230214",
        "20230214101500Z",
        "20230214T1015",
        "14 February 2023",
        "Tue, 14 Feb 2023 10:00:00 GMT",
        "February 14, 2023",
        "Tuesday, Feb. 14 2023",
    ],
)
def test_days_as_they_are_written(text: str) -> None:
    assert written_day(text, LATEST) == date(2023, 2, 14)


@pytest.mark.parametrize(
    "text",
    [
        *("", None, 20230214, "2023", "2023-02", "2023-02-30", "2023-13-01", "14/02/2023", "1676332800", "soon"),
        *("1970-01-01", "2024-07-01", "0001-01-01", "9999-12-31", "2023-02-144", "99 May 2023", "1 Smarch 2023"),
    ],
)
def test_what_is_no_day_or_cannot_be_true(text: object) -> None:
    assert written_day(text, LATEST) is None


@pytest.mark.parametrize(
    "page",
    [
        ld({"@type": "NewsArticle", "datePublished": "2023-02-14T10:00:00Z", "dateModified": "2024-01-01"}),
        ld({"@graph": [{"@type": ["Thing", "BlogPosting"], "datePublished": "2023-02-14"}]}),
        ld({"@type": "WebPage", "mainEntity": {"@type": "Article", "datePublished": "2023-02-14"}}),
        ld({"@type": "WebPage", "datePublished": "2023-02-14"}),
        ld(
            {"@type": "WebPage", "datePublished": "2020-01-01"},
            {"@type": "ClaimReview", "datePublished": "2023-02-14", "itemReviewed": {"datePublished": "2019-01-01"}},
        ),
        '<meta property="article:published_time" content="2023-02-14T10:00:00Z">',
        "<META content='2023-02-14' NAME='DC.date.issued'/>",
        "<meta itemprop=datePublished content=2023-02-14>",
        '<meta name="citation_publication_date" content="2023/02/14">',
        '<meta name="date" content="2024-01-01"><meta property="article:published_time" content="2023-02-14">',
        '<time pubdate datetime="2023-02-14">Tuesday</time>',
        '<time class="entry-date published" datetime="2023-02-14T10:00"></time>',
        '<span itemprop="datePublished" content="2023-02-14">Tuesday</span>',
        ld({"@type": "VideoObject", "datePublished": "2022-01-01"}) + '<meta name="pubdate" content="20230214">',
        ld(*({"@type": "Article", "datePublished": f"202{n}-01-01"} for n in (1, 2)))
        + '<meta name="pubdate" content="20230214">',
        '<meta property="article:published_time" content="2030-01-01"><time pubdate datetime="2023-02-14">',
    ],
)
def test_a_page_that_says_when_it_was_published(page: str) -> None:
    assert published(f"<html><head>{page}</head></html>") == "2023-02-14"


@pytest.mark.parametrize(
    "page",
    [
        "",
        "<p>Published on 14 February 2023</p>",
        '<meta property="article:modified_time" content="2023-02-14">',
        '<meta name="last-modified" content="2023-02-14">',
        '<meta itemprop="copyrightYear" content="2023">',
        '<!-- <meta name="pubdate" content="2023-02-14"> -->',
        '<time datetime="2023-02-14">of another page</time>',
        '<time pubdate datetime="2023-02-14"><time pubdate datetime="2023-02-15">',
        ld({"@type": "ItemList", "itemListElement": [{"@type": "Article", "datePublished": "2023-02-14"}]}),
        ld({"@type": "NewsArticle", "datePublished": {"@value": "2023-02-14"}}),
        '<div class="date">Friday, 14 February 2023</div><footer>2023-02-14</footer>',
    ],
)
def test_a_page_that_does_not(page: str) -> None:
    assert published(page) is None


@pytest.mark.parametrize(
    ("url", "day"),
    [
        ("https://a.example/2023/02/14/jobless-rate-edges-up", "2023-02-14"),
        ("https://a.example/news/2023-02-14", "2023-02-14"),
        ("https://a.example/2023/2/14/", "2023-02-14"),
        ("https://a.example/news-20230214.html", "2023-02-14"),
        ("https://web.archive.example/web/20240101000000/https://a.example/2023/02/14/x", "2023-02-14"),
        ("https://a.example/2023/02/story", None),
        ("https://a.example/?d=2023/02/14", None),
        ("https://a.example/2023/02/30/x", None),
        ("https://a.example/2025/02/14/x", None),
        ("https://a.example/id/120230214", None),
        ("https://[", None),
    ],
)
def test_the_day_in_a_url(url: str, day: str | None) -> None:
    assert url_date(url, LATEST) == day


def test_what_the_page_says_comes_before_its_url() -> None:
    page = '<meta property="article:published_time" content="2023-02-15">'
    assert published(page, "https://a.example/2023/02/14/x") == "2023-02-15"
    assert published("", "https://a.example/2023/02/14/x") == "2023-02-14"


def test_json_as_a_whole() -> None:
    assert json_date([{"@type": "Article", "datePublished": "2023-02-14"}], LATEST) == "2023-02-14"
    assert json_date([{"@type": "Article"}], LATEST) is None
