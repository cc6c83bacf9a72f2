"""Paging of search results."""

from collections.abc import Callable

import msgspec

from src.retrieval.providers.protocol import Found


class ResultPage(msgspec.Struct, frozen=True):
    """One page of results; `last` when the provider reports that there are no more."""

    results: list[Found]
    last: bool = False


def pages_needed(results: int, page_size: int, most: int) -> int:
    """Return how many pages hold that many results, at most `most`."""
    return min(-(-results // page_size), most)


def collect(results: int, pages: int, page: Callable[[int], ResultPage]) -> list[Found]:
    """Return at most `results` results of pages 0 to `pages`-1; stop after the last page and at an empty one."""
    found: list[Found] = []
    for number in range(pages):
        got = page(number)
        found += got.results
        if got.last or not got.results:
            break
    return found[:results]
