"""Search for one claim: sends all its queries to a provider; returns the rows of its URL file and the refused URLs.

A failed query does not stop the others. Their results are kept, but the claim counts as failed and is searched again.

Limitations: a URL that several queries found is listed once, with its first query.
"""

import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import msgspec

from src.errors import ClaimError, FatalError
from src.records import Claim, UrlRow
from src.retrieval.leakage import Leakage
from src.retrieval.providers import Found, SearchProvider, SearchQuery
from src.retrieval.searching.queries import GIVEN, ClaimQuery, claim_queries
from src.retrieval.searching.questions import Questions
from src.runner.output import Failure
from src.store import storable

STEP = "src.retrieval.search"


class Dropped(msgspec.Struct, frozen=True):
    """A URL that was found but may not be evidence, with the reason: a line of `<claim_id>.dropped.jsonl`."""

    url: str
    reason: str
    type: str
    query: str


@dataclass(frozen=True)
class ClaimFindings:
    """Search results of one claim."""

    rows: Sequence[UrlRow]
    dropped: Sequence[Dropped]
    failures: Sequence[Failure]
    counts: dict[str, int]


@dataclass(frozen=True)
class ClaimSearch:
    """Search for claims: `kinds` of queries, each for `results` URLs.

    `country` takes precedence over the claim's country; `ask` writes questions for a claim.
    """

    provider: SearchProvider
    leakage: Leakage
    kinds: Sequence[str]
    results: int
    country: str | None = None
    ask: Callable[[Claim], Questions] = lambda _: Questions()

    def search(self, claim: Claim) -> ClaimFindings:
        """Run all queries of the claim.

        Raises InputError and NetworkError when no further query can be answered.
        """
        failures: list[Failure] = []
        found: list[tuple[ClaimQuery, Found]] = []
        queries, counts = self._queries(claim, failures)
        for query in queries:
            try:
                found += [(query, result) for result in self.provider.search(self._wanted(claim, query))]
            except ClaimError as error:
                failures.append(failure_of(claim, error))
        rows, dropped = self._sift(claim, found)
        counts |= {"queries": len(queries), "found": len(found), "urls": len(rows), "dropped": len(dropped)}
        return ClaimFindings(rows, dropped, failures, counts)

    def attempt(self, claim: Claim) -> ClaimFindings:
        """Run `search`; a fault of this program fails this claim alone."""
        try:
            return self.search(claim)
        except FatalError:
            raise
        except Exception as error:
            return ClaimFindings([], [], [failure_of(claim, error)], {})

    def _queries(self, claim: Claim, failures: list[Failure]) -> tuple[list[ClaimQuery], dict[str, int]]:
        if not self.provider.requests(self.results):
            return [ClaimQuery(GIVEN, "")], {}
        questions = Questions()
        try:
            if not claim.claim.strip():
                raise ClaimError("the claim is empty")
            questions = self.ask(claim)
        except ClaimError as error:
            failures.append(failure_of(claim, error))
        queries = claim_queries(claim, self.kinds, questions.texts)
        return queries, questions.counts()

    def _wanted(self, claim: Claim, query: ClaimQuery) -> SearchQuery:
        country = self.country or claim.location_ISO_code or None
        before = self.leakage.days.get(claim.claim_id)
        return SearchQuery(claim.claim_id, query.text, self.results, before, country)

    def _sift(self, claim: Claim, found: Sequence[tuple[ClaimQuery, Found]]) -> tuple[list[UrlRow], list[Dropped]]:
        seen: set[str] = set()
        rows, dropped = [], []
        for query, result in found:
            if result.url in seen:
                continue
            seen.add(result.url)
            reason = self._refused(claim.claim_id, result)
            if reason:
                dropped.append(Dropped(result.url, reason, query.type, query.text))
            else:
                rows.append(UrlRow(str(claim.claim_id), query.type, result.url, query.text))
        return rows, dropped

    def _refused(self, claim_id: int, result: Found) -> str:
        if not result.url.lower().startswith(("http://", "https://")):
            return "no http or https URL"
        return self.leakage.of_url(claim_id, result.url) or self.leakage.of_date(claim_id, result.date)


def failure_of(claim: Claim, error: Exception) -> Failure:
    trace = storable("".join(traceback.format_exception(error)))
    return Failure(claim.claim_id, STEP, type(error).__name__, storable(str(error)), trace)
