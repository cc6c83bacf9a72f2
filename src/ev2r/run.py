"""Judging of a set of predictions, batch by batch, and their scores."""

from collections.abc import Sequence

from src.ev2r.judge import EvidenceJudge, judgments
from src.ev2r.loading import JudgingSettings
from src.ev2r.records import ClaimJudgment, JudgedClaim
from src.ev2r.scores import Ev2RScores, JudgeInfo, ProxyScores, scores
from src.ev2r.texts import ClaimTexts, claim_texts, with_claim_as_question
from src.evaluation.averitec import Guess
from src.records import Claim
from src.runner.console import Progress


def judged_scores(
    judge: EvidenceJudge,
    claims: Sequence[Claim],
    guesses: Sequence[Guess],
    settings: JudgingSettings,
    *,
    with_baselines: bool,
    seed: int | None,
    proxy: ProxyScores | None = None,
) -> Ev2RScores:
    """Return the scores of predictions by a judge; guess k belongs to claim k, and all claims have labels.

    `with_baselines`: if False, no baselines are judged and reported.
    `seed`: seed of the resamples for the intervals; None: no intervals are computed.

    Raises FatalError when the judge cannot go on.
    """
    has_questions = not any(guess.strings for guess in guesses)
    texts = [
        claim_texts(claim, guess, settings.inputs, has_questions=has_questions)
        for claim, guess in zip(claims, guesses, strict=True)
    ]
    judged = _judged(judge, texts, "Ev2R")
    baseline: Sequence[ClaimJudgment | None] = [None] * len(texts)
    if with_baselines and settings.judges_baseline and has_questions:
        asking = [with_claim_as_question(one) for one in texts]
        baseline = _judged(judge, asking, "Ev2R, claim as question", only_questions=True)
    records = [
        JudgedClaim(claim.claim_id, claim.label, guess.verdict, judgment, other)
        for claim, guess, judgment, other in zip(claims, guesses, judged, baseline, strict=True)
        if claim.label is not None
    ]
    info = JudgeInfo(
        settings.judge,
        judge.info.name,
        judge.info.sha256 or judge.info.details.get("revision"),
        judge.prompt_sha256,
        settings.inputs,
    )
    return scores(records, info, with_baselines=with_baselines, seed=seed, proxy=proxy)


def _judged(
    judge: EvidenceJudge, texts: Sequence[ClaimTexts], title: str, *, only_questions: bool = False
) -> list[ClaimJudgment]:
    found: list[ClaimJudgment] = []
    with Progress(title, len(texts), failed="not scored") as progress:
        for start in range(0, len(texts), judge.at_once):
            judged = judgments(judge, texts[start : start + judge.at_once], only_questions=only_questions)
            found += judged
            progress.add(len(judged), sum(bool(one.reason) for one in judged))
    return found
