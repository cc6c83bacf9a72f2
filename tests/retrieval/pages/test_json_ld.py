"""Articles that stand in a page as JSON-LD."""

import json

import pytest

from src.retrieval.pages.json_ld import article_lines, objects_in_html, objects_in_json

ARTICLE: dict[str, object] = {
    "@type": "NewsArticle",
    "headline": "A clock at sea",
    "articleBody": "It struck nine.\n\nNobody knew why.",
}
LINES = ["A clock at sea", "It struck nine.", "Nobody knew why."]


def script(value: object) -> str:
    return f'<script id=a type="application/ld+json">{value if isinstance(value, str) else json.dumps(value)}</script>'


@pytest.mark.parametrize(
    "value",
    [
        ARTICLE,
        [ARTICLE],
        {"@context": "https://schema.org", "@graph": [{"@type": "Organization", "name": "x"}, ARTICLE]},
        {"@type": "WebPage", "mainEntity": ARTICLE},
        f"<!-- {json.dumps(ARTICLE)} -->",
        f"\n//<![CDATA[\n{json.dumps(ARTICLE)}\n//]]>\n",
        f"{json.dumps(ARTICLE)};",
        json.dumps(ARTICLE).replace("\\n\\n", "\n\n"),
    ],
)
def test_an_article_is_found_wherever_it_stands(value: object) -> None:
    assert article_lines(objects_in_html(f"<html><head>{script(value)}</head><body></body></html>")) == LINES


def test_broken_json_is_passed_over() -> None:
    page = script('{"@type": "NewsArticle", "articleBody": "cut o') + script("[" * 100_000) + script(ARTICLE)
    assert article_lines(objects_in_html(page)) == LINES
    assert objects_in_html('<script type="application/ld+json">{"a": 1}') == []


def test_html_in_a_body_becomes_lines() -> None:
    body = "<p>It struck <b>nine</b>.</p><p>Tea &amp; cake<br/>for all, 3 < 4</p>"
    assert article_lines([{"articleBody": body}]) == ["It struck nine.", "Tea & cake", "for all, 3 < 4"]
    assert article_lines([{"articleBody": "Tea &amp; cake &lt;br&gt; here"}]) == ["Tea & cake", "here"]


def test_a_review_of_a_claim_and_articles_that_stand_twice() -> None:
    review: dict[str, object] = {
        "@type": "ClaimReview",
        "claimReviewed": "The clock struck nine.",
        "reviewBody": "It did.",
    }
    assert article_lines([review, ARTICLE, ARTICLE]) == ["The clock struck nine.", "It did.", *LINES]


def test_objects_without_a_body_give_nothing() -> None:
    assert article_lines([{"headline": "Only this"}, {"articleBody": 3}, {"articleBody": None}]) == []


def test_a_document_that_is_json_as_a_whole() -> None:
    assert article_lines(objects_in_json(json.dumps([ARTICLE]))) == LINES
    assert objects_in_json("{") == objects_in_json("3") == []
