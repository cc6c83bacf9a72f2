"""Introductions of pages, as a search gives them, in the place of pages that could not be read."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from src.records import Document
from src.retrieval.pages.reader import plain_lines
from src.retrieval.pages.sentences import PUNKT, clean_lines, merge_sentences, splitter
from src.retrieval.providers import SearchResult
from src.retrieval.scraping.page_log import PageLog
from src.runner.console import how_many

EXTRACTOR = "introduction, by the search"


class Supplied(NamedTuple):
    """Pages and logs, in the order of the URLs, and a note if introductions are among them."""

    documents: list[Document]
    logs: list[PageLog]
    notes: list[str]


def supply_introductions(
    documents: Sequence[Document],
    logs: Sequence[PageLog],
    refused: Sequence[str],
    introductions: Mapping[str, SearchResult],
) -> Supplied:
    """Return the pages, with the introduction where a page has no text, and a note that names these pages.

    `refused`: for each page, why it must not be evidence; such a page gets no introduction.
    `introductions`: results of the search with an introduction, by URL.
    """
    supplied = Supplied([], [], [])
    used: list[str] = []
    for document, log, why in zip(documents, logs, refused, strict=True):
        result = None if why or not log.reason else introductions.get(log.url)
        sentences = _sentences(result.introduction) if result else []
        if result and sentences:
            used.append(f"{log.url} ({log.reason})")
            document = replace(document, url2text=sentences)
            log = replace(log, reason="", sentences=len(sentences), extractor=EXTRACTOR, date=result.date)
        supplied.documents.append(document)
        supplied.logs.append(log)
    if used:
        pages = how_many(len(used), "page")
        supplied.notes.append(f"only the introduction, as the search gives it, was read of {pages}: {'; '.join(used)}")
    return supplied


def _sentences(text: str) -> list[str]:
    return merge_sentences(clean_lines(plain_lines(text)), splitter(PUNKT))
