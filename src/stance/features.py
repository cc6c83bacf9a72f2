"""Features of the stacker for a claim: numbers computed from a verdict model's readings of its passages.

    for_1, for_2, against_1, against_2   the two strongest passages of each side, read alone (log-odds of Supported and
                                         of Refuted)
    for_mean, against_mean               means of these probabilities over the passages
    both                                 the smaller one of the strongest of both sides: a sign of conflict
    conflicting, open                    the highest Conflicting and the lowest Not Enough Evidence of a passage
                                         (log-odds)
    joint_*                              log-probabilities of the four verdicts from all passages read at once

Passages that only repeat the claim are left out: posting a claim again changes no verdict.
"""

import math
from collections.abc import Sequence

from src.records import VERDICTS, Verdict

FEATURES = (
    "for_1", "for_2", "against_1", "against_2", "for_mean", "against_mean", "both", "conflicting", "open",
    "joint_supported", "joint_refuted", "joint_not_enough", "joint_conflicting",
)  # fmt: skip
_LEAST = 0.01  # probabilities are clipped to this distance from 0 and 1


def features(alone: Sequence[Sequence[float]], together: Sequence[float]) -> list[float]:
    """Return one number for each of FEATURES.

    `alone` are probabilities, [passages, verdicts], of at least one passage; `together` are log-probabilities,
    [verdicts].
    """
    supported, refuted, open_, conflicting = (
        sorted((row[VERDICTS.index(verdict)] for row in alone), reverse=True)
        for verdict in (Verdict.SUPPORTED, Verdict.REFUTED, Verdict.NOT_ENOUGH_EVIDENCE, Verdict.CONFLICTING)
    )
    strongest = [_at(supported, 0), _at(supported, 1), _at(refuted, 0), _at(refuted, 1)]
    rest = [_mean(supported), _mean(refuted), min(supported[0], refuted[0])]
    edges = [_log_odds(conflicting[0]), _log_odds(open_[-1])]
    return [*map(_log_odds, strongest), *rest, *edges, *together]


def _at(ordered: Sequence[float], place: int) -> float:
    return ordered[place] if place < len(ordered) else 0.0


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _log_odds(chance: float) -> float:
    kept = min(1 - _LEAST, max(_LEAST, chance))
    return math.log(kept / (1 - kept))
