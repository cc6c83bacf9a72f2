"""From claims to a table: shares over all claims, with 95 % intervals by claim and the spread over seeds.

Every share is a sum over claims by a sum over claims (gold answers covered / gold answers), so a resample of the claims
is two sums. Systems are compared on the same resamples. The intervals are of the mean over the seeds.
"""

from collections.abc import Callable, Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from bench.retrieval.measures import SentenceCounts
from src.evaluation.bootstrap import RESAMPLES, TAILS, draws

Floats = NDArray[np.float64]
Share = tuple[Callable[[SentenceCounts], float], Callable[[SentenceCounts], float]]

SHARES: dict[str, Share] = {
    "together": (lambda counts: counts.together, lambda counts: counts.answers),
    "single": (lambda counts: counts.single, lambda counts: counts.answers),
    "gold pages": (lambda counts: counts.pages, lambda counts: counts.gold_pages),
    "own": (lambda counts: counts.own, lambda counts: counts.ranked),
    "METEOR": (lambda counts: counts.meteor, lambda _: 1),
}


class Figure(msgspec.Struct, frozen=True):
    """A number with its 95 % interval; nan where there is nothing to count."""

    value: float
    low: float
    high: float


class Versus(msgspec.Struct, frozen=True):
    """Comparison of a system with another one on the same resamples: difference and ratio of each share."""

    over: dict[str, Figure]
    times: dict[str, Figure]


class Summary(msgspec.Struct, frozen=True):
    """A system on a pool. `by_seed` are the shares at each seed, `versus` stands by the other system's name.

    All are keyed as `SHARES`.
    """

    shares: dict[str, Figure]
    by_seed: dict[str, list[float]]
    versus: dict[str, Versus]


Claims = Sequence[SentenceCounts]


def summarise(seeds: Sequence[Claims], others: Mapping[str, Sequence[Claims]]) -> Summary:
    """`seeds`: at each seed what was found for each claim, in the same order of claims. Each of `others` likewise."""
    counts = draws(len(seeds[0]), 0, RESAMPLES)
    summary = Summary({}, {}, {name: Versus({}, {}) for name in others})
    for name, share in SHARES.items():
        value, resampled = _ratios(seeds, share, counts)
        summary.shares[name] = _figure(value, resampled)
        summary.by_seed[name] = [_rounded(_ratios([claims], share, counts)[0][0]) for claims in seeds]
        for other, results in others.items():
            other_value, other_resampled = _ratios(results, share, counts)
            summary.versus[other].over[name] = _figure(value - other_value, resampled - other_resampled)
            times = _figure(_divided(value, other_value), _divided(resampled, other_resampled))
            summary.versus[other].times[name] = times
    return summary


def _ratios(seeds: Sequence[Claims], share: Share, counts: Floats) -> tuple[Floats, Floats]:
    """Return the share over all claims (shape [1]), and in each resample."""
    return _ratio(seeds, share, np.ones((len(seeds[0]), 1))), _ratio(seeds, share, counts)


def _ratio(seeds: Sequence[Claims], share: Share, counts: Floats) -> Floats:
    """Return the share in each resample; `counts` [claims, resamples] says how often each resample has each claim."""
    tops, bottoms = (
        np.mean([[part(claim) for claim in claims] for claims in seeds], axis=0) @ counts for part in share
    )
    return _divided(tops, bottoms)


def _divided(tops: Floats, bottoms: Floats) -> Floats:
    return np.divide(tops, bottoms, out=np.full_like(tops, np.nan), where=bottoms > 0)


def _figure(value: Floats, resampled: Floats) -> Figure:
    known = resampled[~np.isnan(resampled)]
    low, high = np.percentile(known, TAILS) if len(known) else (np.nan, np.nan)
    return Figure(_rounded(value[0]), _rounded(low), _rounded(high))


def _rounded(value: float) -> float:
    return round(float(value), 5)
