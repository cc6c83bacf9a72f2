"""Reliability of a verdict: its level, and the set of verdicts that contains the right one nine times of ten.

    level   firm, leaning or undecided, by the probability of the verdict. Each verdict has its own limits, chosen on
            held-out claims. Its firm cases have the required precision: by the lower bound over all of them (Wilson
            1927), and as counted in each data set. Enough of them are like the claims that users check.
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
    """Smallest probabilities of one verdict's levels; `NEVER` for a level that is never reached."""

    firm: float = NEVER
    leaning: float = NEVER


class Levels(msgspec.Struct, frozen=True):
    """Limits of the levels, and their precision.

    `limits` are by verdict; a verdict without limits is always undecided. `least` is the smallest probability of a
    verdict in the set. `precision` and `share` are those of each level on the `claims` held-out claims on which the
    limits were chosen. `alpha` is the share of sets that may miss the label.
    """

    limits: dict[Verdict, Limits]
    least: float
    alpha: float
    claims: int
    precision: dict[Level, float] = {}
    share: dict[Level, float] = {}

    def count(self, level: Level) -> int | None:
        """Return how many of the held-out claims had this level; None if their share was not saved."""
        return round(self.share[level] * self.claims) if level in self.share else None

    def of(self, chances: Mapping[Verdict, float], verdict: Verdict) -> Level:
        """Return the level of a verdict with these probabilities."""
        limits, chance = self.limits.get(verdict, Limits()), chances[verdict]
        if chance >= limits.firm:
            return Level.FIRM
        return Level.LEANING if chance >= limits.leaning else Level.UNDECIDED

    def set_of(self, chances: Mapping[Verdict, float]) -> list[Verdict]:
        """Return the conformal set, most probable first; the most probable verdict is always in it."""
        ordered = sorted(VERDICTS, key=lambda one: -chances[one])
        return [one for place, one in enumerate(ordered) if not place or chances[one] >= self.least]


@runtime_checkable
class Leveled(Protocol):
    """A verdict model whose levels were measured."""

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
) -> Levels:
    """Return levels with limits chosen on held-out claims.

    `chances` are probabilities [claims, verdicts], `labels` the indices of the labels, `parts` the data set of each
    claim (None: a single one). Data sets in `in_use` have claims like those that users check.

    `firm` and `leaning` are the required precisions of these levels. Each limit is the lowest probability from which on
    there are at least `fewest` claims of its verdict, `FEWEST_IN_USE` of them from data sets `in_use`. The 90 % lower
    bound of their precision must reach the required one, and so must the precision in each data set with at least
    `FEWEST_OF_PART` of these claims. Firm verdicts do not count in the precision of leaning ones.
    """
    rows = [dict(zip(VERDICTS, row, strict=True)) for row in chances]
    verdicts = [max(VERDICTS, key=row.__getitem__) for row in rows]
    right = [verdict is VERDICTS[label] for verdict, label in zip(verdicts, labels, strict=True)]
    judged: dict[Verdict, list[_Judged]] = {verdict: [] for verdict in VERDICTS}
    for row, verdict, is_right, part in zip(rows, verdicts, right, parts or [""] * len(rows), strict=True):
        judged[verdict].append(_Judged(row[verdict], is_right, part))
    limits = {verdict: _limits(own, firm, leaning, fewest, in_use) for verdict, own in judged.items()}
    found = Levels(
        limits=limits,
        least=1 - _quantile([1 - row[label] for row, label in zip(chances, labels, strict=True)], alpha),
        alpha=alpha,
        claims=len(labels),
    )
    counted: dict[Level, list[bool]] = {level: [] for level in Level}
    for row, verdict, is_right in zip(rows, verdicts, right, strict=True):
        counted[found.of(row, verdict)].append(is_right)
    return msgspec.structs.replace(
        found,
        precision={level: round(sum(own) / len(own), 4) for level, own in counted.items() if own},
        share={level: round(len(own) / len(labels), 4) for level, own in counted.items()},
    )


class _Judged(NamedTuple):
    """A held-out claim: the probability of its most probable verdict, True if that is right, and its data set."""

    chance: float
    is_right: bool
    part: str


def _limits(judged: Sequence[_Judged], firm: float, leaning: float, fewest: int, in_use: Collection[str]) -> Limits:
    """Return the limits of one verdict."""
    limit_firm = _limit(judged, firm, fewest, in_use)
    limit_leaning = _limit([one for one in judged if one.chance < limit_firm], leaning, fewest, in_use)
    return Limits(limit_firm, min(limit_leaning, limit_firm))


def _limit(judged: Sequence[_Judged], wanted: float, fewest: int, in_use: Collection[str]) -> float:
    """Return the lowest probability from which on the precision is at least `wanted`; `NEVER` if there is none.

    The precision is the lower bound over all claims, and the counted one in each data set.
    """
    found = NEVER
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
            found = one.chance
    return math.floor(found * 1e6) / 1e6


def _quantile(scores: Sequence[float], alpha: float) -> float:
    place = math.ceil((len(scores) + 1) * (1 - alpha))
    return sorted(scores)[place - 1] if place <= len(scores) else 1.0
