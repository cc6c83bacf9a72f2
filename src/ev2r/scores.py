"""Scores of a set of judged claims, with 95 % intervals and two trivial baselines.

All are means over the scored claims. Claims whose answers could not be read, or whose requests failed, are counted
apart and never averaged as 0.

    question recall, precision, F1     of the judged questions
    evidence recall, precision, F1     of the judged facts
    AVeriTeC score                     share of claims with the right label and evidence recall > .5, and >= .5

The baselines are always Refuted with the same evidence, and the same with `Is it true that CLAIM?` in place of the
questions. The judge reads these questions, too; the evidence is not judged again.
"""

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

import msgspec
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from src.ev2r.records import ClaimJudgment, Judged, JudgedClaim, Status
from src.ev2r.texts import Inputs
from src.evaluation.bootstrap import RESAMPLES, Interval, draws, mean_of, percentiles
from src.records import Verdict

V = TypeVar("V")
HALF = 0.5
FIGURES = (
    "question_recall", "question_precision", "question_f1", "evidence_recall", "evidence_precision", "evidence_f1",
    "averitec_above_half", "averitec_at_least_half", "accuracy",
)  # fmt: skip


class Means(msgspec.Struct, Generic[V]):
    """Means over claims, or their intervals.

    `question_*`: None if the predictions have no separate questions. All are None if no claim is scored.
    `averitec_above_half`, `averitec_at_least_half`: share of claims with the right label and evidence recall > .5, and
        >= .5.
    `accuracy`: share of claims with the right label.
    """

    question_recall: V | None
    question_precision: V | None
    question_f1: V | None
    evidence_recall: V | None
    evidence_precision: V | None
    evidence_f1: V | None
    averitec_above_half: V | None
    averitec_at_least_half: V | None
    accuracy: V | None


class JudgeInfo(msgspec.Struct, frozen=True):
    """Judge of a set of scores.

    `judge`: as the user named it.
    `name`, `revision`: name of its model, and the hash or commit of its weights; None: not known, as of a server.
    `prompt_sha256`: hash of its prompts, or of the thresholds of the small judge.
    `inputs`: official scorer whose inputs it was shown.
    """

    judge: str
    name: str
    revision: str | None
    prompt_sha256: str
    inputs: Inputs


class Baselines(msgspec.Struct):
    """Scores of the trivial baselines.

    `claim_as_question` is over the claims whose question was judged; None if there are none.
    `claim_as_question_scored`: number of these claims.
    """

    always_refuted: Means[float]
    claim_as_question: Means[float] | None
    claim_as_question_scored: int


class ProxyScores(msgspec.Struct, frozen=True):
    """Scores of the proxy: a verdict model that reads the predicted evidence, against the gold labels.

    `model`: the verdict model, as the user named it.
    `accuracy`, `macro_f1`: its scores over all claims, with their intervals, if they were requested.
    `always_refuted_accuracy`, `always_refuted_macro_f1`: scores of the baseline, if they were requested.
    """

    model: str
    accuracy: float
    macro_f1: float
    accuracy_interval: Interval | None
    macro_f1_interval: Interval | None
    always_refuted_accuracy: float | None
    always_refuted_macro_f1: float | None


class Ev2RScores(Means[float], kw_only=True):
    """Scores of `n` claims.

    `scored`, `unparseable`, `call_failed`: number of claims by status; they add up to `n`.
    `no_evidence`: scored claims without predicted evidence.
    `second_requests`: answers that could not be read and were requested again.
    `counts_differ`: scored claims with a count, written by the judge, that is not the count of its list.
    `lists_differ`: scored claims for which the judge listed more or fewer questions than there are.
    `intervals`: 95 % intervals; None: not requested, or no claim is scored.
    `baselines`: None: not requested, or no claim is scored.
    `proxy`: None if no proxy was requested.
    `claims`: judgment of each claim.
    """

    n: int
    scored: int
    unparseable: int
    call_failed: int
    no_evidence: int
    second_requests: int
    counts_differ: int
    lists_differ: int
    judge: JudgeInfo
    intervals: Means[Interval] | None
    baselines: Baselines | None
    proxy: ProxyScores | None
    claims: list[JudgedClaim]


def scores(
    claims: Sequence[JudgedClaim],
    judge: JudgeInfo,
    *,
    with_baselines: bool = True,
    seed: int | None = 0,
    proxy: ProxyScores | None = None,
) -> Ev2RScores:
    """Return the scores of judged claims.

    `with_baselines`: if False, the baselines are left out.
    `seed`: seed of the resamples for the intervals; None: no intervals are computed.
    """
    scored = [claim for claim in claims if claim.is_scored]
    statuses = [claim.judgment.status for claim in claims]
    return Ev2RScores(
        **msgspec.structs.asdict(_means(scored, _mean)),
        n=len(claims),
        scored=len(scored),
        unparseable=statuses.count(Status.UNPARSEABLE),
        call_failed=statuses.count(Status.CALL_FAILED),
        no_evidence=sum(claim.judgment.no_evidence for claim in scored),
        second_requests=sum(claim.judgment.second_requests for claim in claims),
        counts_differ=sum(_counts_differ(claim.judgment) for claim in scored),
        lists_differ=sum(claim.judgment.lists_differ for claim in scored),
        judge=judge,
        intervals=_intervals(scored, seed) if scored and seed is not None else None,
        baselines=_baselines(scored) if scored and with_baselines else None,
        proxy=proxy,
        claims=list(claims),
    )


Floats = NDArray[np.float64]


def _means(claims: Sequence[JudgedClaim], summary: Callable[[Floats], V]) -> Means[V]:
    """Return the summary of each figure's values [claims]; None for a figure that has none."""
    columns = _columns("evidence", [one.judgment.evidence for one in claims])
    columns |= _columns("question", [one.judgment.questions for one in claims])
    if columns:
        right = np.array([one.guessed is one.label for one in claims], dtype=float)
        recall = columns["evidence_recall"]
        columns["averitec_above_half"] = right * (recall > HALF)
        columns["averitec_at_least_half"] = right * (recall >= HALF)
        columns["accuracy"] = right
    return Means(**{name: summary(columns[name]) if name in columns else None for name in FIGURES})


def _columns(name: str, judged: Sequence[Judged | None]) -> dict[str, Floats]:
    """Return recall, precision and F1 of each claim by figure; {} without claims, or if a claim was not judged."""
    known = [one for one in judged if one is not None]
    if not known or len(known) < len(judged):
        return {}
    return {
        f"{name}_recall": np.array([one.recall for one in known]),
        f"{name}_precision": np.array([one.precision for one in known]),
        f"{name}_f1": np.array([one.f1 for one in known]),
    }


def _mean(values: Floats) -> float:
    return float(values.mean())


def _intervals(claims: Sequence[JudgedClaim], seed: int) -> Means[Interval]:
    counts = draws(len(claims), seed, RESAMPLES)
    return _means(claims, lambda values: percentiles(mean_of(values)(counts)))


def _baselines(claims: Sequence[JudgedClaim]) -> Baselines:
    refuted = [replace(claim, guessed=Verdict.REFUTED) for claim in claims]
    asking = [
        replace(claim, judgment=replace(claim.judgment, questions=claim.baseline.questions))
        for claim in refuted
        if claim.baseline is not None and claim.baseline.status is Status.SCORED
    ]
    return Baselines(_means(refuted, _mean), _means(asking, _mean) if asking else None, len(asking))


def _counts_differ(judgment: ClaimJudgment) -> bool:
    return any(one is not None and one.counts_differ for one in (judgment.questions, judgment.evidence))
