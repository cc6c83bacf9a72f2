"""Links between the pages of an article, for file names with signs that URLs reserve."""

from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from lxml.html import document_fromstring  # type: ignore[import-untyped]

from src.check.article.check_article import CheckedArticle, CheckedPart
from src.check.article.claims_of_article import ArticleClaim
from src.report.article_page import write_pages
from tests.check.test_text import checked


@pytest.mark.parametrize("name", ["100% eels?", "a#b", "note: eels", "ål", "a&b"])
def test_links_lead_to_the_pages_whatever_the_file_is_called(name: str, tmp_path: Path) -> None:
    part = CheckedPart(ArticleClaim(1, "Eels swim.", "Eels swim."), checked())
    write_pages(CheckedArticle("eels.txt", [part], []), tmp_path / f"{name}.html")
    assert followed(tmp_path / f"{name}.html", "//main//a/@href") == str(tmp_path / f"{name}-1.html")
    assert followed(tmp_path / f"{name}-1.html", "//nav//a/@href") == str(tmp_path / f"{name}.html")


def followed(page: Path, links: str) -> str:
    """Return the file to which a browser goes from a page by its only link."""
    (href,) = document_fromstring(page.read_text("utf-8")).xpath(links)
    parts = urlsplit(urljoin(page.as_uri(), href))
    assert (parts.scheme, parts.query, parts.fragment) == ("file", "", "")
    return unquote(parts.path)
