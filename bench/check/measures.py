"""Scores of a system's answers to a set of claims."""

from collections.abc import Sequence
from statistics import median

import numpy as np

from bench.check.records import Answered, Counted, Row
from src.evaluation.aggregate import Tally, intervals
from src.evaluation.averitec import ClaimScore, Gold, Guess, score
from src.evaluation.baselines import claim_as_question
from src.evaluation.bootstrap import figures, mean_of
from src.records import VERDICTS, Claim, Level, QAPair, Verdict


def row_of(
    system: str, claims: Sequence[Claim], answered: Sequence[Answered], evidence: Sequence[Sequence[QAPair]] | None
) -> Row:
    """Return the row of a system; without `evidence` only its verdicts are scored."""
    pairs = evidence or [()] * len(claims)
    guesses = [Guess(one.claim_id, one.verdict, list(own)) for one, own in zip(answered, pairs, strict=True)]
    golds = [Gold(claim, one.label) for claim, one in zip(claims, answered, strict=True)]
    scores = [score(gold, guess) for gold, guess in zip(golds, guesses, strict=True)]
    baseline = claim_as_question(golds, guesses) if evidence else None
    tally = Tally(scores)
    table, spread = tally.scores(), intervals(tally)
    levels = {level: [one.verdict is one.label for one in answered if one.level is level] for level in Level}
    has_levels = any(levels.values())
    with_sets = [one for one in answered if one.verdict_set]
    reasons = [one.reason_holds for one in answered if one.reason_holds is not None]
    seconds = [one.seconds for one in answered if one.seconds]
    return Row(
        system=system,
        claims=len(claims),
        accuracy=round(table.veracity["acc"], 4),
        accuracy_interval=_rounded(spread.veracity["acc"]),
        macro_f1=round(table.veracity["macro"], 4),
        macro_f1_interval=_rounded(spread.veracity["macro"]),
        precision={level: _mean(own) for level, own in levels.items() if own},
        share={level: round(len(own) / len(answered), 4) for level, own in levels.items()} if has_levels else {},
        firm_and_wrong=levels[Level.FIRM].count(False) if has_levels else None,
        of_verdict={
            level: {verdict: _counted([one for one in own if one.verdict is verdict]) for verdict in VERDICTS}
            for level in Level
            if (own := [one for one in answered if one.level is level])
        },
        of_label={verdict: _counted([one for one in answered if one.label is verdict]) for verdict in VERDICTS},
        coverage=_mean([one.label in one.verdict_set for one in with_sets]) if with_sets else None,
        coverage_of={
            verdict: _mean([verdict in one.verdict_set for one in own])
            for verdict in VERDICTS
            if (own := [one for one in with_sets if one.label is verdict])
        },
        set_size=_mean([len(one.verdict_set) for one in with_sets]) if with_sets else None,
        reasons=_mean(reasons) if reasons else None,
        stated=len(reasons) if has_levels else None,
        question_answer=round(table.question_answer, 4) if evidence else None,
        averitec=round(table.averitec["0.25"], 4) if evidence else None,
        baseline=_both(baseline) if baseline else None,
        over_baseline=_over(scores, baseline) if baseline else None,
        seconds=round(median(seconds), 2) if seconds else None,
    )


def _both(baseline: Sequence[ClaimScore]) -> tuple[float, float]:
    """Return Q+A and the AVeriTeC score at .25."""
    table = Tally(baseline).scores()
    return round(table.question_answer, 4), round(table.averitec["0.25"], 4)


def _over(scores: Sequence[ClaimScore], baseline: Sequence[ClaimScore]) -> tuple[float, tuple[float, float]]:
    """Return how much Q+A is above the baseline in the mean, and the interval of this difference."""
    means = [mean_of(np.array([one.question_answer for one in system])) for system in (baseline, scores)]
    above = figures(means, len(scores), seed=0)[1].to_first
    assert above is not None, "the second system is compared with the first"
    return round(above.value, 4), _rounded(above.interval)


def plain(claims: Sequence[Claim], verdicts: Sequence[Verdict]) -> list[Answered]:
    """Return the answers of a system that gives verdicts only."""
    return [
        Answered(claim.claim_id, claim.label, verdict, None, (), None, 0.0)
        for claim, verdict in zip(claims, verdicts, strict=True)
        if claim.label is not None
    ]


def _counted(own: Sequence[Answered]) -> Counted:
    return Counted(sum(one.verdict is one.label for one in own), len(own))


def _mean(values: Sequence[float]) -> float:
    return round(float(np.mean(values)), 4)


def _rounded(interval: tuple[float, float]) -> tuple[float, float]:
    return round(interval[0], 4), round(interval[1], 4)
