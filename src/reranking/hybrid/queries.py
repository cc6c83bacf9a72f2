"""Queries of one claim: its words, its speaker, its month and year, and a hypothetical fact-check if there is one.

BM25 uses all of them, each with its weight; the encoder uses the claim and the fact-check.
"""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from src.records import Claim
from src.reranking.hybrid.own_words import own_words
from src.reranking.hybrid.settings import Settings


class Query(msgspec.Struct, frozen=True):
    """Words to look for, and the weight of a hit."""

    words: list[str]
    weight: float


def queries(claim: Claim, hypothetical: str, settings: Settings) -> list[Query]:
    """Return the lexical queries that have words and weight; the claim's comes first."""
    asked = [
        (claim.claim, 1.0),
        (claim.speaker or "", settings.speaker),
        (month(claim.claim_date), settings.date),
        (hypothetical, settings.hypothetical),
    ]
    made = [Query(own_words(text), weight) for text, weight in asked]
    return [query for query in made if query.words and query.weight]


def texts(claim: Claim, hypothetical: str, settings: Settings) -> Sequence[str]:
    """Return the texts that the encoder reads; the claim comes first."""
    return [claim.claim.strip(), hypothetical] if hypothetical and settings.hypothetical else [claim.claim.strip()]


def month(date: str | None) -> str:
    """Return `31-10-2020` as `October 2020`, as pages write it; "" for anything else."""
    try:
        return datetime.strptime((date or "").strip(), "%d-%m-%Y").strftime("%B %Y")
    except ValueError:
        return ""
