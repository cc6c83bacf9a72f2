"""G-Eval of several methods by several protocols, on the same claims, with paired differences and what it cost."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from src.evaluation.figures import Figure, figures, mean_of
from src.explanation.records import ExplainedClaim
from src.explanation.scoring.judge import Judge, Judged
from src.explanation.scoring.judge_records import Protocol, ProtocolScores, Rating
from src.runner.console import Progress

BATCH = 8  # claims that are asked at once

Found = tuple[list[ProtocolScores], dict[str, int]]


def geval(methods: Sequence[Sequence[ExplainedClaim]], judge: Judge, protocols: Sequence[Protocol], seed: int) -> Found:
    """By protocol, and how often the probabilities of the scores were found in which way. Raises FatalError."""
    found: Counter[str] = Counter()
    scores = []
    total = len(protocols) * len(methods) * len(methods[0])
    with Progress("G-Eval", total, unit="explanation", failed="undefined") as progress:
        for protocol in protocols:
            judged = [_judged(claims, judge, protocol, progress) for claims in methods]
            found.update(reply.method for one in judged for reply in one.replies if reply.method is not None)
            scores.append(_protocol(protocol, judged, seed))
    return scores, dict(sorted(found.items()))


def _judged(claims: Sequence[ExplainedClaim], judge: Judge, protocol: Protocol, progress: Progress) -> Judged:
    rated = Judged([], [])
    for at in range(0, len(claims), BATCH):
        some, replies = judge.rate(claims[at : at + BATCH], protocol)
        rated.claims.extend(some)
        rated.replies.extend(replies)
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
