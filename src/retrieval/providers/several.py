"""Several search providers as one: each is asked every query, and their results take turns."""

from collections.abc import Sequence
from itertools import zip_longest

from msgspec.structs import replace

from src.canonical_url import page_addresses
from src.errors import Cancelled, ClaimError, FactCheckError, InputError, NetworkError
from src.retrieval.providers.protocol import (
    LATER,
    PartlyFailedError,
    RefusedQueryError,
    SearchProvider,
    SearchQuery,
    SearchResult,
)


class SeveralProviders:
    """Providers that are asked one after the other.

    A result that an earlier one has, perhaps as an archived copy, is left out, but for its date and introduction where
    the earlier one has none. If some fail, the query counts as failed, and the results of the others are kept. If all
    fail, the error has all of their messages; it ends the search only if all of their errors would.
    A provider that answers no further query is not asked again.
    """

    def __init__(self, providers: Sequence[SearchProvider]) -> None:
        self._providers = providers
        self._ended: dict[int, FactCheckError] = {}

    def requests(self, results: int) -> int:
        return sum(provider.requests(results) for provider in self._providers)

    def search(self, query: SearchQuery) -> list[SearchResult]:
        lists: list[list[SearchResult]] = []
        errors: list[FactCheckError] = []
        for place, provider in enumerate(self._providers):
            if place in self._ended:
                errors.append(self._ended[place])
                continue
            try:
                lists.append(provider.search(query))
            except Cancelled:
                raise
            except FactCheckError as error:
                errors.append(error)
                if isinstance(error, NetworkError | InputError) and not isinstance(error, RefusedQueryError):
                    self._ended[place] = error
        if errors and not lists:
            raise _of_all(errors)
        merged = _in_turns(lists)
        if errors:
            raise PartlyFailedError("; ".join(map(_reason, errors)), merged)
        return merged


def _of_all(errors: Sequence[FactCheckError]) -> FactCheckError:
    """Return one error for all of them, of the kind of the mildest."""
    reasons = "; ".join(map(_reason, errors))
    if any(isinstance(error, ClaimError) for error in errors):
        return ClaimError(reasons)
    if any(isinstance(error, RefusedQueryError) for error in errors):
        return RefusedQueryError(reasons)
    is_later = all(isinstance(error, NetworkError) for error in errors)
    return NetworkError(f"{reasons}; {LATER}") if is_later else InputError(reasons)


def _reason(error: FactCheckError) -> str:
    """Return the message without advice for a run that ends, since this one goes on."""
    return error.reason if isinstance(error, RefusedQueryError) else str(error).removesuffix(f"; {LATER}")


def _in_turns(lists: Sequence[Sequence[SearchResult]]) -> list[SearchResult]:
    """Return the first result of each list, then the second of each, without repeated pages."""
    merged: dict[str, SearchResult] = {}
    for turn in zip_longest(*lists):
        for result in turn:
            if result is not None:
                page = _page(result.url)
                merged[page] = _completed(merged[page], result) if page in merged else result
    return list(merged.values())


def _completed(result: SearchResult, other: SearchResult) -> SearchResult:
    """Return the result, with date and introduction of another one of the same page where it has none."""
    return replace(result, date=result.date or other.date, introduction=result.introduction or other.introduction)


def _page(url: str) -> str:
    addresses = page_addresses(url)
    return str(addresses[-1]) if addresses else url
