"""A check as ClaimReview, the markup of fact-checks that search engines read (schema.org, JSON-LD).

The rating is from 1 (false) to 5 (true), as Google advises; -1 where it is none of these.

The justification of the check is in it only with the rating of the check: it may contradict another.

Limitations: the publisher answers for the rating, so an undecided claim needs one of the publisher's own.
"""

from datetime import date
from typing import Any

import msgspec

from src.canonical_url import web_address
from src.check.records import CheckedClaim
from src.check.reliance import leveled
from src.errors import InputError
from src.records import Level, Verdict
from src.retrieval.leakage import read_day

WORST, BEST, NONE = 1, 5, -1
VALUES = {Verdict.REFUTED: 1, Verdict.CONFLICTING: 3, Verdict.SUPPORTED: 5, Verdict.NOT_ENOUGH_EVIDENCE: NONE}
LEANING = {1: 2, 5: 4}


class Publication(msgspec.Struct, frozen=True):
    """What a fact-check is published with.

    `publisher`: name of the organization that answers for it.
    `url`: address of its page.
    `day`: day of publication.
    `rating`: the publisher's own rating in words, "" for the verdict of the check.
    `value`: the publisher's own rating from 1 to 5, or -1; None for that of the check.
    """

    publisher: str
    url: str
    day: date
    rating: str = ""
    value: int | None = None


def claim_review(checked: CheckedClaim, publication: Publication) -> bytes:
    """Return the JSON-LD of a check. Raises InputError for an undecided claim without a rating of the publisher."""
    claim, own = checked.claim, dict[str, Any]()
    if claim.speaker:
        own["author"] = {"@type": "Person", "name": claim.speaker}
    if day := read_day(claim.claim_date):
        own["datePublished"] = day.isoformat()
    sources = dict.fromkeys(web_address(pair.url) for pair in checked.prediction.evidence)
    review: dict[str, Any] = {
        "@context": "https://schema.org",
        "@type": "ClaimReview",
        "url": publication.url,
        "datePublished": publication.day.isoformat(),
        "author": {"@type": "Organization", "name": publication.publisher},
        "claimReviewed": claim.claim,
        "itemReviewed": {"@type": "Claim", **own},
        "reviewRating": _rating(checked, publication),
        "reviewBody": "" if publication.rating else checked.explained.explanation,
        "inLanguage": "en",
        "citation": [{"@type": "WebPage", "url": url} for url in sources if url],
    }
    filled = {name: value for name, value in review.items() if value not in ("", [])}
    text = msgspec.json.format(msgspec.json.encode(filled), indent=2)
    for sign in b"<>&":  # it goes into a script element of a page, which no text may end
        text = text.replace(bytes([sign]), b"\\u%04x" % sign)
    return text + b"\n"


def _rating(checked: CheckedClaim, publication: Publication) -> dict[str, Any]:
    verdict, level = checked.prediction.pred_label, checked.prediction.level
    if level in (Level.UNDECIDED, None) and not publication.rating:
        what = "is undecided" if level else "has a verdict without a level"
        raise InputError(f"the check {what}; give the publisher's own --rating")
    own = VALUES[verdict] if not publication.rating else NONE
    value = LEANING.get(own, own) if level is Level.LEANING else own
    return {
        "@type": "Rating",
        "ratingValue": value if publication.value is None else publication.value,
        "worstRating": WORST,
        "bestRating": BEST,
        "alternateName": publication.rating or leveled(verdict, level),
    }
