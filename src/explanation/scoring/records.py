"""Records of an evaluation of explanations: everything needed to print its tables again without a model.

Lists with an entry per method are in the order of `Report.methods`. Figures have the difference to the first method.
"""

from enum import StrEnum
from typing import Any

import msgspec
from msgspec import field

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

    `score`: mean over the replies, or weighted mean; None if there is no reply with a score.
    `replies`: number of replies with score 1, 2, 3, 4 and 5.
    `unparsed`: number of replies without a score.
    `failed`: number of requests without a reply.
    `probabilities`: probabilities of the scores 1 to 5, if the judge weights scores.
    """

    score: float | None = None
    replies: list[int] = []
    unparsed: int = 0
    failed: int = 0
    probabilities: list[float] = []


class RatedClaim(msgspec.Struct, frozen=True):
    """Score of one explanation.

    `score`: mean over its texts; None if no text has a score.
    `texts`: scores of its texts: the whole explanation, or each sentence.
    """

    claim_id: ClaimId
    score: float | None
    texts: list[Rated]


class JudgeScores(msgspec.Struct, frozen=True):
    """Scores of one method by one protocol.

    `mean`: mean over the claims that have a score for all methods; None if there are none.
    `lowest`, `highest`: smallest and largest score of an explanation.
    `undefined`: number of explanations without a score.
    `unparsed`: number of replies without a score.
    `failed`: number of requests without a reply.
    `calls`, `prompt_tokens`, `new_tokens`: cost of the judge.
    `claims`: score of each explanation.
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
    methods: list[JudgeScores]


class GEval(msgspec.Struct, frozen=True):
    """Results of G-Eval.

    `judge`: language model, as named by `--judge`.
    `model`: the engine's description of the model.
    `weighted`: scores are weighted by their probabilities; nothing is sampled.
    `samples`: replies for each text.
    `temperature`: temperature of the replies.
    `seed`: seed of the first reply; the others have the next seeds.
    `source_words`: maximum number of words of the evidence that the judge reads; None: all.
    `ways`: how the engine obtained probabilities -> number of replies.
    `protocols`: scores by protocol.
    `failed`: number of requests without a reply.
    `first_error`: message of the first failed request; empty if none failed.
    """

    judge: str
    model: Any
    weighted: bool
    samples: int
    temperature: float
    seed: int
    source_words: int | None
    ways: dict[str, int] = field(name="found")
    protocols: list[ProtocolScores]
    failed: int = 0
    first_error: str = ""


class MeanCost(msgspec.Struct, frozen=True):
    """Mean cost of an explanation, including its draft and debate; a value is None if unknown."""

    calls: float | None = None
    prompt_tokens: float | None = None
    new_tokens: float | None = None
    seconds: float | None = None


class Method(msgspec.Struct, frozen=True):
    """A method whose explanations are evaluated.

    `file`: its file of explanations.
    `claims`: number of claims in the file.
    `empty`: number of claims in the file that have no explanation.
    `cost`: mean cost of an explanation.
    """

    name: str
    file: str
    claims: int
    empty: int
    cost: MeanCost


class Checked(msgspec.Struct, frozen=True):
    """Findings of the checks in one text.

    `sentences`: number of sentences.
    `flagged`: number of sentences with a finding.
    `types`: type of each finding.
    """

    sentences: int
    flagged: int
    types: list[ErrorType]


class ClaimFindings(msgspec.Struct, frozen=True):
    """Findings in an explanation and in its draft; `draft` is None if the explanation was not debated."""

    claim_id: ClaimId
    explanation: Checked
    draft: Checked | None = None


class Rates(msgspec.Struct, frozen=True):
    """Rates of findings of one method.

    `per_explanation`: mean number of findings per explanation.
    `per_sentence`: mean number of findings per sentence.
    `clean`: share of explanations without any finding.
    """

    per_explanation: Figure
    per_sentence: Figure
    clean: Figure


class Findings(msgspec.Struct, frozen=True):
    """Findings of the checks in one method's explanations, over the claims that all methods explain.

    `sentences`: number of sentences.
    `words`: mean length of an explanation.
    `rates`: rates of findings, compared with the first method.
    `by_type`: number of findings by type.
    `claims`: findings in each explanation.
    `before`: rates in the drafts; None if there was no debate.
    `refined`: rates after refinement, compared with `before`; None if there was no debate.
    """

    sentences: int
    words: float
    rates: Rates
    by_type: dict[ErrorType, int]
    claims: list[ClaimFindings]
    before: Rates | None = None
    refined: Rates | None = None


class Justification(msgspec.Struct, frozen=True):
    """METEOR of one method's explanations against gold justifications.

    `meteor`: mean over claims.
    `levels`: for each level, the mean in which a claim counts 0 unless its evidence score is greater than the level.
    `baseline`: mean over claims for the baseline, which takes the evidence's question-answer strings as justification.
    `baseline_levels`: for each level, the mean for the baseline that corresponds to `levels`.
    `over_baseline`: the mean `meteor`, with its difference to the baseline.
    """

    meteor: Figure
    levels: dict[str, float]
    baseline: float = field(name="floor")
    baseline_levels: dict[str, float] = field(name="floor_levels")
    over_baseline: Figure = field(name="over_floor")


class Gold(msgspec.Struct, frozen=True):
    """METEOR of all methods against gold justifications.

    `file`: file of the gold claims.
    `claims`: number of compared claims, those with a gold justification.
    `without`: number of claims without a gold justification.
    `methods`: scores of each method.
    """

    file: str
    claims: int
    without: int
    methods: list[Justification]


class Tau(msgspec.Struct, frozen=True):
    """Kendall's tau-c of one metric with people's ratings.

    `items`: number of explanations.
    `value`: tau-c; None if either side is constant or there are fewer than two items.
    `interval`: 95 % interval of tau-c; None if `value` is.
    `by_method`: tau-c over the explanations of each method.
    """

    metric: str
    items: int
    value: float | None
    interval: Interval | None
    by_method: list[float | None]


class Human(msgspec.Struct, frozen=True):
    """Agreement of the metrics with people's ratings.

    `ratings`: number of rated explanations.
    `missing`: number of missing ratings (`Ratings` in `scoring/human.py`).
    `elsewhere`: number of rated explanations that no metric scores.
    `taus`: agreement of each metric.
    """

    file: str
    ratings: int
    missing: int
    elsewhere: int
    taus: list[Tau]


class Report(msgspec.Struct, frozen=True):
    """Results of an evaluation of several methods.

    `methods`: the methods with their files.
    `claims`: claim_ids of the compared claims, those that every method explains.
    `seed`: seed of the bootstrap.
    `findings`: findings of the checks in the explanations of each method.
    `gold`: similarity to the gold justifications; None if not requested.
    `geval`: scores that a language model gives (G-Eval); None if not requested.
    `human`: agreement of the metrics with people's ratings; None if not requested.
    `people`: results of a drawn study, in which annotators ticked errors; None if not requested.
    """

    methods: list[Method]
    claims: list[ClaimId]
    seed: int
    findings: list[Findings]
    gold: Gold | None = None
    geval: GEval | None = None
    human: Human | None = None
    people: People | None = None
