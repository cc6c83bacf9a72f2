"""Hypothetical fact-checks, written by a language model: queries that are more similar to evidence than the claim is.

A fact-check need not be true; its words are those that articles on the claim would use. (Gao et al. 2023, "Precise
Zero-Shot Dense Retrieval without Relevance Labels"; for fact-checks: Yoon et al. 2024, HerO.)

Limitations: a fact-check is only a query and never becomes evidence. An empty answer adds no query.
"""

from collections.abc import Sequence

import msgspec

from src.llm.protocol import LanguageModel, Request
from src.prompts import load
from src.records import Claim

TOKENS = 160
ROLE = "hypothetical_fact_check"


class Hypothetical(msgspec.Struct, frozen=True):
    """A hypothetical fact-check and its token counts. `text` is "" if the model wrote nothing."""

    text: str = ""
    prompt_tokens: int = 0
    new_tokens: int = 0

    def counts(self) -> dict[str, int]:
        """Return the counts for the manifest; empty if no language model was used."""
        if not self.prompt_tokens:
            return {}
        outcome = {"hypotheticals": 1} if self.text else {"empty_hypotheticals": 1}
        return {**outcome, "prompt_tokens": self.prompt_tokens, "new_tokens": self.new_tokens}


def write_hypotheticals(model: LanguageModel, claims: Sequence[Claim]) -> list[Hypothetical]:
    """Return one hypothetical fact-check for each claim, in order. Raises ModelError when the model fails."""
    replies = model.complete([_request(claim) for claim in claims])
    return [Hypothetical(reply.text.strip(), reply.prompt_tokens, reply.new_tokens) for reply in replies]


def _request(claim: Claim) -> Request:
    prompt = load("hypothetical_fact_check").substitute(
        claim=claim.claim.strip(), speaker=claim.speaker or "not known", date=claim.claim_date or "not known"
    )
    return Request(prompt, chat=True, max_new_tokens=TOKENS, role=ROLE)
