"""Results of `bench.ev2r`, as they are kept in `bench/results/`."""

import msgspec

from src.ev2r.scores import Baselines, JudgeInfo, Means, ProxyScores
from src.evaluation.bootstrap import Interval


class Recall(msgspec.Struct, frozen=True, array_like=True):
    """Recall of one claim: of questions (None: the prediction has no separate questions), and of evidence."""

    claim_id: int
    questions: float | None
    evidence: float


class Likeness(msgspec.Struct, frozen=True):
    """Spearman's correlation over claims with another measure; None if one of the two is the same for all claims."""

    questions: float | None
    evidence: float | None
    claims: int


class Meteor(msgspec.Struct, frozen=True):
    """Scores by Hungarian METEOR; `question_only` is None if the predictions have no separate questions."""

    question_only: float | None
    question_answer: float
    averitec: float


class Row(msgspec.Struct, frozen=True):
    """Scores of a system.

    `system`: its name.
    `unparseable`, `call_failed`: claims without scores.
    `seconds`: time of the judge, without loading.
    `with_meteor`: correlation with Q and Q+A of the same claims.
    `with_other`: correlation with another judge; None if there is none.
    """

    system: str
    scored: int
    unparseable: int
    call_failed: int
    means: Means[float]
    intervals: Means[Interval] | None
    baselines: Baselines | None
    meteor: Meteor
    proxy: ProxyScores | None
    seconds: float
    with_meteor: Likeness
    with_other: Likeness | None
    recalls: list[Recall]


class Result(msgspec.Struct, frozen=True):
    """Rows of all systems with one judge, on the dev claims `start` to `end` - 1.

    `other`: the judge of the file that they are compared with; "": none.
    """

    judge: JudgeInfo
    start: int
    end: int
    other: str
    rows: list[Row]
