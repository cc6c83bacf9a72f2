"""Records of an evaluation of explanations: everything needed to print its tables again without a model.

Lists over methods are in the order of `Report.methods`; the others are compared with the first.
"""

from enum import StrEnum
from typing import Any

import msgspec

from src.evaluation.bootstrap import Figure, Interval
from src.explanation.scoring.people import People
from src.explanation.typology import ErrorType
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


class Cost(msgspec.Struct, frozen=True):
    """Mean cost of an explanation, with drafts and debates; None if unknown."""

    calls: float | None = None
    prompt_tokens: float | None = None
    new_tokens: float | None = None
    seconds: float | None = None


class Method(msgspec.Struct, frozen=True):
    """A file of explanations; `empty` of its `claims` have none, or only white space."""

    name: str
    file: str
    claims: int
    empty: int
    cost: Cost


class Checked(msgspec.Struct, frozen=True):
    """Findings in one text: its sentences, the number of sentences with a finding, and the type of each finding."""

    sentences: int
    flagged: int
    types: list[ErrorType]


class CheckedClaim(msgspec.Struct, frozen=True):
    """Findings in an explanation and its draft; `draft` is None if the explanation is no revision."""

    claim_id: ClaimId
    explanation: Checked
    draft: Checked | None = None


class Rates(msgspec.Struct, frozen=True):
    """Findings per explanation and per sentence, and the share of explanations without any."""

    per_explanation: Figure
    per_sentence: Figure
    clean: Figure


class Findings(msgspec.Struct, frozen=True):
    """Findings of a method, over the claims that all methods explain.

    `words` is the mean length of an explanation. `before` are the rates of the drafts, if there are debates. `refined`
    are those after refinement, with the difference to `before`.
    """

    sentences: int
    words: float
    rates: Rates
    by_type: dict[ErrorType, int]
    claims: list[CheckedClaim]
    before: Rates | None = None
    refined: Rates | None = None


class Justification(msgspec.Struct, frozen=True):
    """METEOR of a method's explanations against gold justifications.

    `meteor` is the mean. `levels` has, for each level, the mean in which claims without an evidence score above the
    level count 0. `floor` and `floor_levels` are the same for the baseline: the evidence's question-answer strings as
    justification. `over_floor` has the difference of the explanations to it.
    """

    meteor: Figure
    levels: dict[str, float]
    floor: float
    floor_levels: dict[str, float]
    over_floor: Figure


class Gold(msgspec.Struct, frozen=True):
    """Scores against gold justifications; `claims` have one, `without` do not."""

    file: str
    claims: int
    without: int
    methods: list[Justification]


class Tau(msgspec.Struct, frozen=True):
    """Kendall's tau-c of a metric with people's ratings over `items`.

    `value` and interval are None if one of the two is constant or there are fewer than two items.
    """

    metric: str
    items: int
    value: float | None
    interval: Interval | None
    by_method: list[float | None]


class Human(msgspec.Struct, frozen=True):
    """Agreement with people's ratings.

    `ratings` counts rated explanations, `missing` is counted as in `scoring/human.py`, `elsewhere` counts rated
    explanations that are not compared.
    """

    file: str
    ratings: int
    missing: int
    elsewhere: int
    taus: list[Tau]


class Report(msgspec.Struct, frozen=True):
    """Results of an evaluation; `claims` are those that every method explains, `seed` is that of the resampling."""

    methods: list[Method]
    claims: list[ClaimId]
    seed: int
    findings: list[Findings]
    gold: Gold | None = None
    geval: GEval | None = None
    human: Human | None = None
    people: People | None = None
