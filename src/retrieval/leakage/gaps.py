"""Claims that lack what a filter needs, and the notes about them."""

from collections.abc import Collection, Iterable
from collections.abc import Set as AbstractSet

import msgspec

from src.records import Claim


class Gap(msgspec.Struct, frozen=True):
    """Claims that lack something, and the wording of the note for one claim and for several."""

    claim_ids: frozenset[int]
    of_one: str
    of_several: str

    def note(self, claim_ids: AbstractSet[int]) -> list[str]:
        """Return a note such as `2 of 9 claims have no date`, counted among these claims; [] when none lacks it."""
        lacking = len(self.claim_ids & claim_ids)
        if not lacking:
            return []
        return [f"{lacking} of {len(claim_ids)} claims {self.of_several}" if len(claim_ids) > 1 else self.of_one]


def articles_missing(claims: Iterable[Claim], articles: Collection[int]) -> Gap:
    lacking = frozenset(claim.claim_id for claim in claims if claim.claim_id not in articles)
    what = "no fact-checking article that could be refused"
    return Gap(lacking, f"the claim names {what}", f"name {what}")


def days_missing(claims: Iterable[Claim], days: Collection[int]) -> list[Gap]:
    """Return the gap of claims without a date, and the gap of claims whose date cannot be read."""
    undated = [claim for claim in claims if claim.claim_id not in days]
    absent = frozenset(claim.claim_id for claim in undated if not claim.claim_date)
    unreadable = frozenset(claim.claim_id for claim in undated) - absent
    none, bad, late = "no date", "a date that cannot be read", "is too late"
    return [
        Gap(absent, f"the claim has {none}: no page {late}", f"have {none}: no page of theirs {late}"),
        Gap(unreadable, f"the claim has {bad}: no page {late}", f"have {bad}: no page of theirs {late}"),
    ]
