"""Search for evidence without a verdict: the passages of a check, and what happened to each page."""

from collections.abc import Callable
from typing import NamedTuple

from src.check.asking import claim_of
from src.check.loading import Loading
from src.check.models import Models
from src.check.pages import ENGLISH_ENCODER, check_read, pages_of
from src.check.passages import retrieved
from src.check.records import CheckRequest
from src.check.run_context import RunContext, Tell
from src.check.scraping import Scraping
from src.records import Sentence
from src.retrieval.providers import FactCheck
from src.retrieval.scraping.page_log import PageLog
from src.waiting import while_wanted


class FoundEvidence(NamedTuple):
    """Evidence for a claim.

    `passages`: passages, best first, or sentences with a retriever of sentences.
    `pages`: log of each URL.
    `fact_checks`: fact-checks of the claim by others.
    `notes`: what could not be done as requested.
    """

    passages: list[Sentence]
    pages: list[PageLog]
    fact_checks: list[FactCheck]
    notes: list[str]


def find_evidence(
    request: CheckRequest, *, models: Models, scraping: Scraping, tell: Tell, is_cancelled: Callable[[], bool]
) -> FoundEvidence:
    """Return the passages of a claim's pages that bear on it most.

    The parameters are those of `check_claim`, and so are the errors: InputError, MissingExtra, NetworkError, StoreError
    and Cancelled.
    """
    claim, context = claim_of(request), RunContext(tell, is_cancelled)
    with while_wanted(context.go_on):
        context.loading = Loading(models, ["encoder"])
        pages = pages_of(claim, request, scraping, context, is_filtered=not models.retrieves.is_hybrid)
        check_read(pages.logs)
        ranked = retrieved(claim, request, pages, models, context)
    languages = [f"{pages.other_languages}: {ENGLISH_ENCODER}"] * bool(pages.other_languages)
    return FoundEvidence(list(ranked.sentences), pages.logs, pages.fact_checks, [*languages, *pages.notes])
