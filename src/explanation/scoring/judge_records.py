"""What a judge model leaves: its replies to each text, the scores they give, and what they cost."""

from enum import StrEnum
from typing import Any

import msgspec

from src.evaluation.figures import Figure
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
    """One text before the judge. `replies[k]` is how often it said k + 1, `unparsed` how often nothing of the kind,
    `failed` how often it did not answer; `probabilities` are those of 1 to 5 where they were asked for.
    """

    score: float | None = None
    replies: list[int] = []
    unparsed: int = 0
    failed: int = 0
    probabilities: list[float] = []


class RatedClaim(msgspec.Struct, frozen=True):
    """`score` is the mean of the texts': the explanation, or its sentences. None where none has one."""

    claim_id: ClaimId
    score: float | None
    texts: list[Rated]


class Rating(msgspec.Struct, frozen=True):
    """A method's by one protocol. `mean` is over the claims with a score for all methods, None without any."""

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
    """`claims` have a score for all methods."""

    protocol: Protocol
    claims: int
    methods: list[Rating]


class GEval(msgspec.Struct, frozen=True):
    """`samples` replies at `temperature`, the first drawn with `seed`, the next with the next; where `weighted`, none
    is drawn and `found` counts how the probabilities of the scores were found. `model` is what the engine says of
    itself. `failed` requests had no reply, the first of them because of `first_error`.
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
