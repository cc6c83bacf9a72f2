"""Fact-checks by others of a claim, from Google's Fact Check Tools API. Needs FACT_CHECK_API_KEY.

They are shown apart from the evidence and never are evidence, since they would give away the verdict.

Limitations: only fact-checks with ClaimReview markup are known there, in English. The claims are those that the API
finds alike; whether they say the same is for the reader to see. Not tested against the live API.
"""

import msgspec

from src.retrieval.providers.environment import variable
from src.retrieval.providers.protocol import FACT_CHECK_KEY, FACT_CHECKS, FactCheck
from src.retrieval.providers.server import Fault, SearchServer

ADDRESS = "https://factchecktools.googleapis.com"
MOST = 10


class _Publisher(msgspec.Struct):
    name: str = ""
    site: str = ""


class _Review(msgspec.Struct):
    url: str = ""
    title: str = ""
    textualRating: str = ""  # noqa: N815 - the API's spelling
    reviewDate: str = ""  # noqa: N815
    publisher: _Publisher = msgspec.field(default_factory=_Publisher)


class _Claim(msgspec.Struct):
    text: str = ""
    claimant: str = ""
    claimReview: list[_Review] = []  # noqa: N815 - the API's spelling


class _Answer(msgspec.Struct):
    claims: list[_Claim] = []


def find_fact_checks(claim: str, address: str = "", timeout: float = 30.0) -> list[FactCheck]:
    """Return the fact-checks of claims that are like this one, best first.

    `address`: base URL of the API; "": that of Google. `timeout`: seconds for the whole answer. Raises InputError for a
    missing or refused key, ClaimError for an answer that cannot be read, and NetworkError if the API cannot be reached.
    """
    key = variable(FACT_CHECKS, FACT_CHECK_KEY)
    params: dict[str, str | int] = {"query": claim, "languageCode": "en", "pageSize": MOST, "key": key}
    server = SearchServer(FACT_CHECKS, timeout, _fault)
    answer = server.ask(f"{address or ADDRESS}/v1alpha1/claims:search", _Answer, key=key, params=params)
    return [_fact_check(about, review) for about in answer.claims for review in about.claimReview if review.url]


def _fact_check(about: _Claim, review: _Review) -> FactCheck:
    return FactCheck(
        url=review.url,
        rating=review.textualRating,
        publisher=review.publisher.name or review.publisher.site,
        title=review.title,
        claim=about.text,
        claimant=about.claimant,
        date=review.reviewDate[:10],
    )


def _fault(status: int, text: str) -> Fault | None:
    if status == 429 or "RESOURCE_EXHAUSTED" in text:
        return Fault.QUOTA
    return Fault.KEY if status == 400 and "API_KEY_INVALID" in text else None
