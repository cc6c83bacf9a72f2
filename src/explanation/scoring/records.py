"""Records of an evaluation of explanations: everything needed to print its tables again without a model.

Lists with an entry per method are in the order of `Report.methods`; differences are those to the first method.
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
    """Score of one text: an explanation or a sentence.

    Attributes:
        score: mean over the replies, or weighted mean; None if there is no reply with a score.
        replies: number of replies with score 1, 2, 3, 4 and 5.
        unparsed: number of replies without a score.
        failed: number of requests without a reply.
        probabilities: probabilities of the scores 1 to 5, if the judge weights scores.
    """

    score: float | None = None
    replies: list[int] = []
    unparsed: int = 0
    failed: int = 0
    probabilities: list[float] = []


class RatedClaim(msgspec.Struct, frozen=True):
    """Score of one explanation.

    Attributes:
        score: mean over its texts; None if no text has a score.
        texts: scores of its texts: the whole explanation, or each sentence.
    """

    claim_id: ClaimId
    score: float | None
    texts: list[Rated]


class Rating(msgspec.Struct, frozen=True):
    """Scores of one method by one protocol.

    Attributes:
        mean: mean over the claims that have a score for all methods; None if there are none.
        lowest, highest: smallest and largest score of an explanation.
        undefined: number of explanations without a score.
        unparsed: number of replies without a score.
        failed: number of requests without a reply.
        calls, prompt_tokens, new_tokens: cost of the judge.
        claims: score of each explanation.
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
    """Scores of all methods by one protocol; `claims` is the number of claims with a score for all methods."""

    protocol: Protocol
    claims: int
    methods: list[Rating]


class GEval(msgspec.Struct, frozen=True):
    """Results of G-Eval.

    Attributes:
        judge: language model, as named by `--judge`.
        model: the engine's description of the model.
        weighted: scores are weighted by their probabilities; nothing is sampled.
        samples: replies for each text.
        temperature: temperature of the replies.
        seed: seed of the first reply; the others have the next seeds.
        source_words: most words of the evidence that the judge reads; None: all.
        found: how the engine obtained probabilities -> number of replies.
        protocols: scores by protocol.
        failed: number of requests without a reply; `first_error` is the message of the first one.
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
    """Mean cost of an explanation, including its draft and debate; a value is None if unknown."""

    calls: float | None = None
    prompt_tokens: float | None = None
    new_tokens: float | None = None
    seconds: float | None = None


class Method(msgspec.Struct, frozen=True):
    """A file of explanations. `claims` is the number of its claims, `empty` the number of those without an
    explanation.
    """

    name: str
    file: str
    claims: int
    empty: int
    cost: Cost


class Checked(msgspec.Struct, frozen=True):
    """Findings of the checks in one text.

    Attributes:
        sentences: number of sentences.
        flagged: number of sentences with a finding.
        types: type of each finding.
    """

    sentences: int
    flagged: int
    types: list[ErrorType]


class CheckedClaim(msgspec.Struct, frozen=True):
    """Findings in an explanation and in its draft; `draft` is None if the explanation was not debated."""

    claim_id: ClaimId
    explanation: Checked
    draft: Checked | None = None


class Rates(msgspec.Struct, frozen=True):
    """Findings per explanation, findings per sentence, and the share of explanations without any finding."""

    per_explanation: Figure
    per_sentence: Figure
    clean: Figure


class Findings(msgspec.Struct, frozen=True):
    """Findings of the checks in one method's explanations, over the claims that all methods explain.

    Attributes:
        sentences: number of sentences.
        words: mean length of an explanation.
        rates: rates of findings, compared with the first method.
        by_type: number of findings by type.
        claims: findings in each explanation.
        before: rates in the drafts; None if there was no debate.
        refined: rates after refinement, compared with `before`; None if there was no debate.
    """

    sentences: int
    words: float
    rates: Rates
    by_type: dict[ErrorType, int]
    claims: list[CheckedClaim]
    before: Rates | None = None
    refined: Rates | None = None


class Justification(msgspec.Struct, frozen=True):
    """METEOR of one method's explanations against gold justifications.

    Attributes:
        meteor: mean over claims.
        levels: for each level, the mean in which a claim whose evidence score is not above the level counts 0.
        floor: mean for the baseline, which takes the evidence's question-answer strings as justification.
        floor_levels: as `levels`, for the baseline.
        over_floor: mean of the explanations, with its difference to the baseline.
    """

    meteor: Figure
    levels: dict[str, float]
    floor: float
    floor_levels: dict[str, float]
    over_floor: Figure


class Gold(msgspec.Struct, frozen=True):
    """METEOR against gold justifications: `claims` is the number of claims that have one, `without` of those that have
    none.
    """

    file: str
    claims: int
    without: int
    methods: list[Justification]


class Tau(msgspec.Struct, frozen=True):
    """Kendall's tau-c of one metric with people's ratings.

    Attributes:
        items: number of explanations.
        value: tau-c; None if either side is constant or there are fewer than two items.
        interval: 95 % interval of tau-c; None if `value` is.
        by_method: tau-c over the explanations of each method.
    """

    metric: str
    items: int
    value: float | None
    interval: Interval | None
    by_method: list[float | None]


class Human(msgspec.Struct, frozen=True):
    """Agreement of the metrics with people's ratings.

    Attributes:
        ratings: number of rated explanations.
        missing: number of missing ratings (`Ratings` in `scoring/human.py`).
        elsewhere: number of rated explanations that no metric scores.
        taus: agreement of each metric.
    """

    file: str
    ratings: int
    missing: int
    elsewhere: int
    taus: list[Tau]


class Report(msgspec.Struct, frozen=True):
    """Results of an evaluation; `claims` are the claim_ids that every method explains, `seed` is that of the
    bootstrap.
    """

    methods: list[Method]
    claims: list[ClaimId]
    seed: int
    findings: list[Findings]
    gold: Gold | None = None
    geval: GEval | None = None
    human: Human | None = None
    people: People | None = None
