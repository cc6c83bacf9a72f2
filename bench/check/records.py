"""What is measured of a set of claims, and of a strategy on it."""

import msgspec

from src.check import Strategy
from src.evaluation.bootstrap import Interval
from src.records import Level, QAPair, Verdict


class Answered(msgspec.Struct, frozen=True):
    """One checked claim: its label, what was said of it, and whether the reason holds (None: no reason was given)."""

    claim_id: int
    label: Verdict
    verdict: Verdict
    level: Level | None
    verdict_set: tuple[Verdict, ...]
    reason_holds: bool | None
    seconds: float


class Kept(msgspec.Struct, frozen=True):
    """A checked claim, a line of what a run leaves when it is killed; `how` it was checked, by flags and weights.

    `by_stance` is the verdict that the stances alone give.
    """

    how: str
    strategy: Strategy = msgspec.field(name="road")
    answered: Answered
    evidence: list[QAPair]
    by_stance: Verdict


class Counted(msgspec.Struct, frozen=True):
    """Number of claims that are right (`right`) among `of` claims."""

    right: int
    of: int


class Row(msgspec.Struct, frozen=True):
    """A system on a set. `precision` and `share` are those of each level, `firm_and_wrong` counts claims.

    `of_verdict` has, for each level, the claims that were given each verdict; `of_label` those of each label, which are
    right where that is their verdict.
    `coverage` is the share of claims whose set of verdicts holds the label, `coverage_of` the same for each label.
    `reasons` is the share of stated reasons that hold: what is quoted entails (Supported) or contradicts (Refuted) the
    claim as a second model reads it, not the one that chose it; `stated` counts them. `question_answer` and `averitec`
    are Hungarian METEOR and the AVeriTeC score at .25; `baseline` has both where every question is the claim and every
    verdict Refuted, and `over_baseline` how much Q+A is above it, with its interval over the same claims.
    """

    system: str
    claims: int
    accuracy: float
    accuracy_interval: Interval
    macro_f1: float
    macro_f1_interval: Interval
    precision: dict[Level, float] = {}
    share: dict[Level, float] = {}
    firm_and_wrong: int | None = None
    of_verdict: dict[Level, dict[Verdict, Counted]] = {}
    of_label: dict[Verdict, Counted] = {}
    coverage: float | None = None
    coverage_of: dict[Verdict, float] = {}
    set_size: float | None = None
    reasons: float | None = None
    stated: int | None = None
    question_answer: float | None = None
    averitec: float | None = None
    baseline: tuple[float, float] | None = None
    over_baseline: tuple[float, Interval] | None = None
    seconds: float | None = None


class Result(msgspec.Struct):
    """`peak` is the most memory that the process used, in bytes."""

    machine: str
    claims: str
    rows: list[Row]
    answered: dict[str, list[Answered]] = {}
    peak: int = 0
