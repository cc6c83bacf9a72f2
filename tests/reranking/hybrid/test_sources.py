"""Pages and sites by URL: the page that an archive shows is the page that it archived."""

import pytest

from src.reranking.hybrid.diversity import Source, source

PAGE = "https://www.example.org/news/ferry.html"


@pytest.mark.parametrize(
    "copy",
    [PAGE, "http://example.org/news/ferry.html?utm_source=x#top", f"https://web.archive.org/web/2020/{PAGE}",
     f"https://archive.ph/2020.01.01-000000/{PAGE}", "https://m.example.org/news/ferry.html"],
)  # fmt: skip
def test_one_page_under_many_addresses(copy: str) -> None:
    assert source(copy) == Source("example.org/news/ferry.html", "example.org")


def test_pages_of_one_site() -> None:
    one, other = source(PAGE), source("https://example.org/sports")
    assert one.page != other.page
    assert one.site == other.site


@pytest.mark.parametrize("url", ["", "   ", "https://", "http://[::1", "https://example.org:port/"])
def test_what_is_no_url_has_no_name(url: str) -> None:
    assert source(url) == Source("", "")
