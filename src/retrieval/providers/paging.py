"""Results that come page by page."""

from collections.abc import Callable

import msgspec

from src.retrieval.providers.protocol import Found


class ResultPage(msgspec.Struct, frozen=True):
    """One page of results; `last` when the provider says that there are no more."""

    results: list[Found]
    last: bool = False


def pages_needed(results: int, page_size: int, most: int) -> int:
    """How many pages hold that many results, within what a provider gives."""
    return min(-(-results // page_size), most)


def collect(results: int, pages: int, page: Callable[[int], ResultPage]) -> list[Found]:
    """At most `results` results of pages 0 to `pages`-1; ends at the last page, and at one that is empty."""
    found: list[Found] = []
    for number in range(pages):
        got = page(number)
        found += got.results
        if got.last or not got.results:
            break
    return found[:results]
