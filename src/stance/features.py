"""What the stacker knows of a claim: numbers made of the stances of its passages.

    for_1, for_2, against_1, against_2   the two strongest passages of each side (log-odds)
    for_all, against_all                 all passages read at once (log-odds)
    for_mean, against_mean               means over the passages
    both                                 the smaller one of the strongest of both sides: a sign of conflict
    figures_agree, figures_differ        whether a comparison of figures speaks for or against the claim (`figures.py`)
    repeated                             share of passages that only repeat the claim
    joint_*                              log-probabilities of the four verdicts by a model that reads all passages at
                                         once and was trained on AVeriTeC (`src/models/joint_veracity.py`)

Passages that only repeat the claim count in `repeated` alone; where there is no other, no stacker is asked.
"""

import math
from collections.abc import Sequence

from src.stance.reader import ClaimRead
from src.stance.records import Side, Stance

FEATURES = (
    "for_1", "for_2", "against_1", "against_2", "for_all", "against_all", "for_mean", "against_mean", "both",
    "figures_agree", "figures_differ", "repeated", "joint_supported", "joint_refuted", "joint_not_enough",
    "joint_conflicting",
)  # fmt: skip
_LEAST = 0.01  # probabilities are kept away from 0 and 1 by so much


def features(read: ClaimRead, joint: Sequence[float]) -> list[float]:
    """Return one number for each of FEATURES. `joint` are the log-probabilities of the joint model."""
    strongest, rest = _of_passages(read.passages)
    together = [_log_odds(read.entail), _log_odds(read.contradict)]
    figures = [float(read.figures.agree > 0), float(read.figures.differ > 0)]
    repeated = sum(one.side is Side.REPEATS for one in read.passages) / max(1, len(read.passages))
    return [*strongest, *together, *rest, *figures, repeated, *joint]


def _of_passages(stances: Sequence[Stance]) -> tuple[list[float], list[float]]:
    """The log-odds of the two strongest of each side; both means, and the weaker of both sides."""
    proper = [one for one in stances if one.side is not Side.REPEATS]
    entail = sorted((one.entail for one in proper), reverse=True)
    contradict = sorted((one.contradict for one in proper), reverse=True)
    best = [_at(entail, 0), _at(entail, 1), _at(contradict, 0), _at(contradict, 1)]
    rest = [_mean(entail), _mean(contradict), min(_at(entail, 0), _at(contradict, 0))]
    return [_log_odds(one) for one in best], rest


def _at(ordered: Sequence[float], place: int) -> float:
    return ordered[place] if place < len(ordered) else 0.0


def _mean(values: Sequence[float]) -> float:
    return sum(values) / max(1, len(values))


def _log_odds(chance: float) -> float:
    kept = min(1 - _LEAST, max(_LEAST, chance))
    return math.log(kept / (1 - kept))
