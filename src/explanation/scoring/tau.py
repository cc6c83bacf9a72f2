"""Kendall's tau-c (Stuart 1953), which suits people's few grades and a judge's many scores."""

from collections.abc import Sequence

import numpy as np

from src.evaluation.bootstrap import RESAMPLES, Interval, draws, percentiles


def tau_c(scores: Sequence[float], ratings: Sequence[float]) -> float | None:
    """Return tau-c; None if there are fewer than two pairs, or one side is constant."""
    if len(scores) < 2 or len(set(scores)) < 2 or len(set(ratings)) < 2:
        return None
    from scipy.stats import kendalltau

    value = float(kendalltau(scores, ratings, variant="c").statistic)
    return value if np.isfinite(value) else None


def tau_interval(
    scores: Sequence[float], ratings: Sequence[float], claims: Sequence[int], seed: int
) -> Interval | None:
    """Return the 95 % interval by resampling claims: pairs of the same claim are drawn together; None if tau-c is
    undefined.
    """
    ids = sorted(set(claims))
    if tau_c(scores, ratings) is None:
        return None
    places = [ids.index(one) for one in claims]
    pairs = np.array([scores, ratings])
    values = []
    for drawn in draws(len(ids), seed, RESAMPLES).astype(int).T:
        chosen = np.repeat(pairs, drawn[places], axis=1)
        values.append(tau_c(*chosen.tolist()))
    known = [value for value in values if value is not None]
    return percentiles(np.array(known)) if known else None
