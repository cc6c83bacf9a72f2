"""Records of a judge model: its replies to each text, the resulting scores, and their cost."""

from enum import StrEnum
from typing import Any

import msgspec

from src.evaluation.bootstrap import Figure
from src.records import ClaimId


class Protocol(StrEnum):
    """What a judge is shown: the whole explanation or one sentence, with or without the nine types of errors."""

    DOCUMENT = "document"
    SENTENCE = "sentence"
    DOCUMENT_TYPOLOGY = "document_typology"
    SENTENCE_TYPOLOGY = "sentence_typology"

    @property
    def by_sentence(self) -> bool:
        return self.startswith("sentence")

    @property
    def with_types(self) -> bool:
        return self.endswith("typology")


class Rated(msgspec.Struct, frozen=True, omit_defaults=True):
    """Score of one text.

    `replies[k]` counts the replies k + 1, `unparsed` those without a score, `failed` the requests without a reply.
    `probabilities` are those of the scores 1 to 5, with a weighted judge.
    """

    score: float | None = None
    replies: list[int] = []
    unparsed: int = 0
    failed: int = 0
    probabilities: list[float] = []


class RatedClaim(msgspec.Struct, frozen=True):
    """Score of an explanation: the mean over its texts (itself or its sentences); None if no text has a score."""

    claim_id: ClaimId
    score: float | None
    texts: list[Rated]


class Rating(msgspec.Struct, frozen=True):
    """Scores of a method by one protocol. `mean` is over the claims that have a score for all methods; None without
    any.
    """

    mean: Figure | None
    lowest: float | None
    highest: float | None
    undefined: int
    unparsed: int
    failed: int
    calls: int
    prompt_tokens: int
    new_tokens: int
    claims: list[RatedClaim]


class ProtocolScores(msgspec.Struct, frozen=True):
    """Scores of all methods by one protocol; `claims` counts those with a score for all methods."""

    protocol: Protocol
    claims: int
    methods: list[Rating]


class GEval(msgspec.Struct, frozen=True):
    """Results of G-Eval: `samples` replies at `temperature`, with consecutive seeds from `seed` on.

    If `weighted`, nothing is sampled and `found` counts the ways in which the probabilities were obtained. `model` is
    the engine's description of itself. `failed` requests had no reply; `first_error` is the message of the first of
    them.
    """

    judge: str
    model: Any
    weighted: bool
    samples: int
    temperature: float
    seed: int
    source_words: int | None
    found: dict[str, int]
    protocols: list[ProtocolScores]
    failed: int = 0
    first_error: str = ""
