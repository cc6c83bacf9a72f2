"""Pages of a checked article: the list of its claims, with a link to the page of each claim."""

from pathlib import Path

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
            back = (Link(path.name, "All claims"),)
            write_whole(page_of(path, place), claim_page(view_of_check(part.checked), back).encode())
    addresses = [page_of(path, place).name for place in range(1, len(article.parts) + 1)]
    shown = page("article.html", article=article, parts=list(zip(article.parts, addresses, strict=True)))
    write_whole(path, shown.encode())
