"""Reliability of a verdict: its level, and the set of verdicts that contains the right one nine times of ten.

    level   firm, leaning or undecided, by the probability of the verdict. Each verdict has its own limits, chosen on
            held-out claims. Its firm cases have the required precision: by the lower bound over all of them (Wilson
            1927), and as counted in each data set. Enough of the firm cases are like the claims that users check.
    set     split conformal prediction (Vovk et al. 2005; Angelopoulos and Bates 2021, section 1): every verdict whose
            probability is at least 1 - q, where q is the ceil((n + 1)(1 - alpha)) / n quantile of 1 - p(label) over n
            held-out claims

Limitations: both hold for claims like the held-out ones; coverage is over all claims, not for each verdict.
"""

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import msgspec

from src.evaluation.calibration import wilson
from src.records import VERDICTS, Level, Verdict

NEVER = 1.01  # a probability that no verdict has
FEWEST_OF_PART = 5  # fewest claims of a data set whose precision is checked
FEWEST_IN_USE = 20  # fewest claims from data sets in use for a limit
Z_ONE_SIDED_90 = 1.2816  # quantile 0.9 of the normal distribution


class Limits(msgspec.Struct, frozen=True):
    """Smallest probabilities at which a verdict is firm or leaning; `NEVER` if it is never so."""

    firm: float = NEVER
    leaning: float = NEVER


class Levels(msgspec.Struct, frozen=True):
    """Limits of the levels, and their precision on held-out claims.

    `limits`: the limits of each verdict; a verdict without limits is always undecided.
    `least`: a verdict with at least this probability is in the conformal set.
    `alpha`: allowed miss rate: the share of claims whose conformal set may lack the label.
    `claims`: number of held-out claims on which the limits were chosen.
    `precision`: share of right verdicts among the held-out claims of each level.
    `share`: share of the held-out claims that have each level.
    """

    limits: dict[Verdict, Limits]
    least: float
    alpha: float
    claims: int
    precision: dict[Level, float] = {}
    share: dict[Level, float] = {}

    def count(self, level: Level) -> int | None:
        """Return the number of held-out claims that had this level; None if their share was not saved."""
        return round(self.share[level] * self.claims) if level in self.share else None

    def of(self, chances: Mapping[Verdict, float], verdict: Verdict) -> Level:
        """Return the level of `verdict`, given the probabilities `chances` of all verdicts."""
        limits, chance = self.limits.get(verdict, Limits()), chances[verdict]
        if chance >= limits.firm:
            return Level.FIRM
        return Level.LEANING if chance >= limits.leaning else Level.UNDECIDED

    def set_of(self, chances: Mapping[Verdict, float]) -> list[Verdict]:
        """Return the conformal set of verdicts, most probable first. The most probable verdict is always in it."""
        ordered = sorted(VERDICTS, key=lambda one: -chances[one])
        return [one for place, one in enumerate(ordered) if not place or chances[one] >= self.least]


@runtime_checkable
class Leveled(Protocol):
    """A verdict model whose verdicts have reliability levels; `levels` are their limits."""

    levels: Levels


def fit_levels(
    chances: Sequence[Sequence[float]],
    labels: Sequence[int],
    *,
    firm: float,
    leaning: float,
    alpha: float,
    fewest: int,
    parts: Sequence[str] | None = None,
    in_use: Collection[str] = ("",),
    digits: int = 6,
) -> Levels:
    """Return levels whose limits are chosen on held-out claims.

    `chances`: probabilities [claims, verdicts].
    `labels`: index of each claim's label in VERDICTS.
    `firm`, `leaning`: required precision of the level.
    `alpha`: allowed miss rate of the conformal sets.
    `fewest`: fewest claims for a limit.
    `parts`: data set of each claim; None if all claims are from one.
    `in_use`: data sets whose claims are like those that users check.
    `digits`: decimals to which `chances` are exact; limits are rounded down to them.

    Each limit is the lowest probability t for which the claims of the verdict with p >= t satisfy:
    (1) there are at least `fewest` of them;
    (2) at least `FEWEST_IN_USE` of them (or `fewest`, if that is less) are from data sets `in_use`;
    (3) the 90 % lower bound of their precision reaches the required precision;
    (4) so does their precision in each data set that has at least `FEWEST_OF_PART` of them.

    Claims with a firm verdict are left out when the limit of leaning is chosen.
    """
    rows = [dict(zip(VERDICTS, row, strict=True)) for row in chances]
    verdicts = [max(VERDICTS, key=row.__getitem__) for row in rows]
    right = [verdict is VERDICTS[label] for verdict, label in zip(verdicts, labels, strict=True)]
    judged: dict[Verdict, list[_Judged]] = {verdict: [] for verdict in VERDICTS}
    for row, verdict, is_right, part in zip(rows, verdicts, right, parts or [""] * len(rows), strict=True):
        judged[verdict].append(_Judged(row[verdict], is_right, part))
    limits = {verdict: _limits(own, firm, leaning, fewest, in_use, digits) for verdict, own in judged.items()}
    least = 1 - _quantile([1 - row[label] for row, label in zip(chances, labels, strict=True)], alpha)
    levels = Levels(limits=limits, least=_floor(least, digits), alpha=alpha, claims=len(labels))
    own_levels = [levels.of(row, verdict) for row, verdict in zip(rows, verdicts, strict=True)]
    return with_shares(levels, own_levels, right)


def with_shares(levels: Levels, given: Sequence[Level], right: Sequence[bool]) -> Levels:
    """Return the levels with share and precision of each.

    `given`: level of each held-out claim. `right`: True for each whose most probable verdict is right.
    """
    counted = {level: [is_right for one, is_right in zip(given, right, strict=True) if one is level] for level in Level}
    return msgspec.structs.replace(
        levels,
        precision={level: round(sum(own) / len(own), 4) for level, own in counted.items() if own},
        share={level: round(len(own) / len(given), 4) for level, own in counted.items()},
    )


class _Judged(NamedTuple):
    """A held-out claim.

    `chance`: probability of its most probable verdict.
    `is_right`: True if the most probable verdict is the claim's label.
    `part`: data set of the claim.
    """

    chance: float
    is_right: bool
    part: str


def _limits(
    judged: Sequence[_Judged], firm: float, leaning: float, fewest: int, in_use: Collection[str], digits: int
) -> Limits:
    """Return the limits of one verdict; `judged` are the claims for which it is the most probable verdict."""
    limit_firm = _floor(_limit(judged, firm, fewest, in_use), digits)
    rest = [one for one in judged if one.chance < limit_firm]
    limit_leaning = _floor(_limit(rest, leaning, fewest, in_use), digits)
    return Limits(limit_firm, min(limit_leaning, limit_firm))


def _limit(judged: Sequence[_Judged], wanted: float, fewest: int, in_use: Collection[str]) -> float:
    """Return the lowest probability t at which the claims with p >= t satisfy the conditions of `fit_levels`.

    `wanted` is the required precision. Return `NEVER` if no probability satisfies them.
    """
    limit = NEVER
    counts, hits = Counter[str](), Counter[str]()
    ordered = sorted(judged, reverse=True)
    for taken, one in enumerate(ordered, start=1):
        counts[one.part] += 1
        hits[one.part] += one.is_right
        is_last = taken == len(ordered) or ordered[taken].chance < one.chance  # of equally probable claims
        is_met = sum(counts[part] for part in in_use) >= min(fewest, FEWEST_IN_USE)
        is_precise = wilson(hits.total(), taken, Z_ONE_SIDED_90)[0] >= wanted and all(
            hits[part] >= wanted * count for part, count in counts.items() if count >= FEWEST_OF_PART
        )
        if is_last and taken >= fewest and is_met and is_precise:
            limit = one.chance
    return limit


def _floor(limit: float, digits: int) -> float:
    """Return the limit, rounded down to `digits` decimals."""
    scale = 10.0**digits
    return math.floor(limit * scale) / scale


def _quantile(scores: Sequence[float], alpha: float) -> float:
    """Return the k-th smallest of the n scores, with k = ceil((n + 1) * (1 - alpha)); 1 if k is more than n."""
    place = math.ceil((len(scores) + 1) * (1 - alpha))
    return sorted(scores)[place - 1] if place <= len(scores) else 1.0
