"""G-Eval of several methods by several protocols, on the same claims, with paired differences and cost."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from src.errors import ModelError
from src.evaluation.bootstrap import Figure, figures, mean_of
from src.explanation.records import ExplainedClaim
from src.explanation.scoring.judge import Judge, Judged
from src.explanation.scoring.judge_records import Protocol, ProtocolScores, Rating
from src.runner.console import Progress

BATCH = 8  # claims per batch


class Found(NamedTuple):
    """Scores by protocol, counts of the ways in which the probabilities were obtained, and errors of failed
    requests.
    """

    scores: list[ProtocolScores]
    ways: dict[str, int]
    errors: list[ModelError]


def geval(methods: Sequence[Sequence[ExplainedClaim]], judge: Judge, protocols: Sequence[Protocol], seed: int) -> Found:
    """Return the judge's scores of each method by each protocol.

    Raises: FatalError if the judge cannot go on.
    """
    ways: Counter[str] = Counter()
    scores, errors = [], []
    total = len(protocols) * len(methods) * len(methods[0])
    with Progress("G-Eval", total, unit="explanation", failed="undefined") as progress:
        for protocol in protocols:
            judged = [_judged(claims, judge, protocol, progress) for claims in methods]
            ways.update(reply.method for one in judged for reply in one.replies if reply.method is not None)
            errors += [error for one in judged for error in one.errors]
            scores.append(_protocol(protocol, judged, seed))
    return Found(scores, dict(sorted(ways.items())), errors)


def _judged(claims: Sequence[ExplainedClaim], judge: Judge, protocol: Protocol, progress: Progress) -> Judged:
    rated = Judged([], [], [])
    for at in range(0, len(claims), BATCH):
        some, replies, errors = judge.rate(claims[at : at + BATCH], protocol)
        rated.claims.extend(some)
        rated.replies.extend(replies)
        rated.errors.extend(errors)
        progress.add(len(some), sum(one.score is None for one in some))
    return rated


def _protocol(protocol: Protocol, judged: Sequence[Judged], seed: int) -> ProtocolScores:
    by_claim = zip(*([claim.score for claim in one.claims] for one in judged), strict=True)
    whole = [[score for score in scores if score is not None] for scores in by_claim]
    table = np.array([scores for scores in whole if len(scores) == len(judged)])
    columns: Sequence[Figure | None] = [None] * len(judged)
    if len(table):
        columns = figures([mean_of(column) for column in table.T], len(table), seed)
    ratings = [_rating(*both) for both in zip(judged, columns, strict=True)]
    return ProtocolScores(protocol, len(table), ratings)


def _rating(judged: Judged, mean: Figure | None) -> Rating:
    known = [one.score for one in judged.claims if one.score is not None]
    texts = [text for one in judged.claims for text in one.texts]
    return Rating(
        mean=mean,
        lowest=min(known, default=None),
        highest=max(known, default=None),
        undefined=len(judged.claims) - len(known),
        unparsed=sum(text.unparsed for text in texts),
        failed=sum(text.failed for text in texts),
        calls=sum(reply.calls for reply in judged.replies),
        prompt_tokens=sum(reply.prompt_tokens for reply in judged.replies),
        new_tokens=sum(reply.new_tokens for reply in judged.replies),
        claims=judged.claims,
    )
