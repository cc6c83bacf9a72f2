"""Pages of a checked article: the list of its claims, with a link to the page of each claim."""

import os
from pathlib import Path
from urllib.parse import quote

from src.atomic_file import write_whole
from src.check.article.check_article import CheckedArticle
from src.report.claim_page import claim_page, view_of_check
from src.report.rendering import Link, page


def page_of(path: Path, place: int) -> Path:
    """Return the file of the page of a claim, numbered from 1: `article.html` -> `article-1.html`."""
    return path.with_name(f"{path.stem}-{place}{path.suffix}")


def write_pages(article: CheckedArticle, path: Path) -> None:
    """Write the page of the list, and one of each claim beside it. Raises OutputError when one cannot be written."""
    for place, part in enumerate(article.parts, start=1):
        if part.checked is not None:
            back = (Link(_href(path), "All claims"),)
            write_whole(page_of(path, place), claim_page(view_of_check(part.checked), back).encode())
    addresses = [_href(page_of(path, place)) for place in range(1, len(article.parts) + 1)]
    shown = page("article.html", article=article, parts=list(zip(article.parts, addresses, strict=True)))
    write_whole(path, shown.encode())


def _href(path: Path) -> str:
    """Return the address of a file for links on pages in the same folder."""
    return quote(os.fsencode(path.name))
