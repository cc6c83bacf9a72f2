"""Scores of a run against its labels: each claim is scored once for the run and once for each baseline."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from src.evaluation import floors
from src.evaluation.averitec import ClaimScore, Gold, Guess, score
from src.evaluation.scoreboard import Scoreboard, floors_of, scoreboard
from src.records import Claim, Prediction
from src.report.run.run import Run

Golds = Mapping[int, Gold]


class Scored(msgspec.Struct, frozen=True):
    """Scores by claim_id, in the order of the run's predictions; `refuted` and `asking` are baselines in the same
    order.

    `refuted` is always Refuted, `asking` the claim as question; `asking` is None where the evidence has no questions.
    """

    claims: Mapping[int, ClaimScore]
    refuted: Sequence[ClaimScore]
    asking: Sequence[ClaimScore] | None
    board: Scoreboard


def golds_of(claims: Iterable[Claim]) -> Golds:
    """Return the labeled claims by claim_id, ready for METEOR. Raises MissingExtra without NLTK 3.9.1 and its data."""
    return {one.claim_id: Gold(one, one.label) for one in claims if one.label is not None}


def claim_scores(run: Run, golds: Golds) -> dict[int, ClaimScore]:
    """Return the scores of claims that have a label, by claim_id."""
    labelled = [one for one in run.predictions if one.claim_id in golds]
    return {one.claim_id: score(golds[one.claim_id], guess_of(one)) for one in labelled}


def scored(run: Run, golds: Golds) -> Scored | None:
    """Return the run's scores; None if some claim has no label, since totals are then not comparable."""
    if any(one.claim_id not in golds for one in run.predictions):
        return None
    claims = claim_scores(run, golds)
    of_run = [golds[one.claim_id] for one in run.predictions]
    asking = floors.claim_as_question(of_run, [guess_of(one) for one in run.predictions])
    known = list(claims.values())
    board = scoreboard(known, floors_of(known, asking))
    return Scored(claims=claims, refuted=floors.always_refuted(known), asking=asking, board=board)


def guess_of(prediction: Prediction) -> Guess:
    """Return the part of a prediction that the evaluation reads."""
    return Guess(prediction.claim_id, prediction.pred_label, prediction.evidence, prediction.claim)
