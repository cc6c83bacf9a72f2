"""What an evaluation of explanations leaves in its file: all that its tables are made of, so that they can be printed
again without a model.

Lists over methods stand in the order of `Report.methods`; the first is the one that the others are compared with.
"""

import msgspec

from src.evaluation.bootstrap import Interval
from src.evaluation.figures import Figure
from src.explanation.scoring.judge_records import GEval
from src.explanation.scoring.people import People
from src.explanation.typology import ErrorType
from src.records import ClaimId


class Cost(msgspec.Struct, frozen=True):
    """Means of an explanation: all that it took to write it, drafts and debates. None where it is not known."""

    calls: float | None = None
    prompt_tokens: float | None = None
    new_tokens: float | None = None
    seconds: float | None = None


class Method(msgspec.Struct, frozen=True):
    """A file of explanations. `empty` of its `claims` have none, or only white space."""

    name: str
    file: str
    claims: int
    empty: int
    cost: Cost


class Checked(msgspec.Struct, frozen=True):
    """One text: its sentences, how many of them have a finding, and the type of each finding."""

    sentences: int
    flagged: int
    types: list[ErrorType]


class CheckedClaim(msgspec.Struct, frozen=True):
    """`draft` is None where the explanation is no revision."""

    claim_id: ClaimId
    explanation: Checked
    draft: Checked | None = None


class Rates(msgspec.Struct, frozen=True):
    """Findings per explanation and per sentence, and the share of explanations without any."""

    per_explanation: Figure
    per_sentence: Figure
    clean: Figure


class Findings(msgspec.Struct, frozen=True):
    """A method's, over the claims that all methods explain.

    `words` are the mean of an explanation; `before` those of its drafts where it has debates, with `after` less
    `before` as the difference in `refined`.
    """

    sentences: int
    words: float
    rates: Rates
    by_type: dict[ErrorType, int]
    claims: list[CheckedClaim]
    before: Rates | None = None
    refined: Rates | None = None


class Justification(msgspec.Struct, frozen=True):
    """METEOR of a method's explanations against gold ones: the mean, and at each level the mean where the evidence
    score lies above it, else 0. `floor` is the same of the evidence's question-answer strings in their place, with the
    explanations' difference to it.
    """

    meteor: Figure
    levels: dict[str, float]
    floor: float
    floor_levels: dict[str, float]
    over_floor: Figure


class Gold(msgspec.Struct, frozen=True):
    """`claims` have a gold justification, `without` none."""

    file: str
    claims: int
    without: int
    methods: list[Justification]


class Tau(msgspec.Struct, frozen=True):
    """Kendall's tau-c of a metric with people's ratings over `items`: `value` and interval are None where one of the
    two is constant or there are fewer than two items."""

    metric: str
    items: int
    value: float | None
    interval: Interval | None
    by_method: list[float | None]


class Human(msgspec.Struct, frozen=True):
    """`ratings` are of explanations, `missing` as `scoring/human.py` counts them, `elsewhere` ratings of explanations
    that are not among those compared."""

    file: str
    ratings: int
    missing: int
    elsewhere: int
    taus: list[Tau]


class Report(msgspec.Struct, frozen=True):
    """`claims` are those that every method explains, `seed` that of the resampling."""

    methods: list[Method]
    claims: list[ClaimId]
    seed: int
    findings: list[Findings]
    gold: Gold | None = None
    geval: GEval | None = None
    human: Human | None = None
    people: People | None = None
