"""Features of the stacker: verdict models read a claim's passages, each alone and all together, without questions.

    for_1, for_2, against_1, against_2   the two strongest passages of each side, read alone (log-odds of Supported and
                                         of Refuted)
    for_mean, against_mean               mean probabilities of Supported and of Refuted over the passages
    both                                 the smaller of the highest probabilities of Supported and of Refuted: a sign
                                         of conflict
    conflicting, open                    the highest Conflicting and the lowest Not Enough Evidence of a passage
                                         (log-odds)
    joint_*                              log-probabilities of the four verdicts from all passages read at once

Passages that only repeat the claim are left out: posting a claim again changes no verdict. A passage that repeats the
claim is kept if the first model gives Refuted a higher probability than Supported: then it quotes the claim to correct
it.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Protocol

from src.llm.protocol import ModelInfo
from src.models.classifier import finite
from src.models.evidence_rows import Input
from src.records import VERDICTS, Verdict
from src.stance.reader import ClaimPassages
from src.stance.records import Passage
from src.stance.restatement import repeats

if TYPE_CHECKING:
    from torch import Tensor

FEATURES = (
    "for_1", "for_2", "against_1", "against_2", "for_mean", "against_mean", "both", "conflicting", "open",
    "joint_supported", "joint_refuted", "joint_not_enough", "joint_conflicting",
)  # fmt: skip
_LEAST = 0.01  # probabilities are clipped to this distance from 0 and 1


def features(alone: Sequence[Sequence[float]], together: Sequence[float]) -> list[float]:
    """Return the features of one claim from one model, one number for each name in FEATURES.

    `alone`: probabilities [passages, verdicts], for each passage read alone; at least one passage.
    `together`: log-probabilities [verdicts], for all passages read at once.
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
    """Return the value at index `place`, or 0 if there are fewer values."""
    return ordered[place] if place < len(ordered) else 0.0


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _log_odds(chance: float) -> float:
    """Return the log-odds of a probability, which is first clipped to between 0.01 and 0.99."""
    clipped = min(1 - _LEAST, max(_LEAST, chance))
    return math.log(clipped / (1 - clipped))


class Joint(Protocol):
    """A verdict model that returns log-probabilities, float32 [inputs, verdicts]."""

    @property
    def info(self) -> ModelInfo: ...

    def log_probabilities(self, inputs: Sequence[Input]) -> "Tensor": ...


class Readings:
    """Verdict models that read the same passages. The first model decides which passages only repeat the claim."""

    def __init__(self, models: Sequence[Joint]) -> None:
        """Create the readings of `models`, at least one."""
        self.models = models

    def features(self, claims: Sequence[ClaimPassages]) -> list[list[float]]:
        """Return the features of each claim; the features of all models are concatenated.

        The list of a claim is empty if the claim has no passages, or if all of them only repeat it.
        Raises ModelError if a model fails.
        """
        first, *others = self.models
        alone = _alone(first, claims)
        places = [_not_repeated(claim, passages, rows) for (claim, passages), rows in zip(claims, alone, strict=True)]
        shown = [
            (claim, [own[at] for at in selected])
            for (claim, own), selected in zip(claims, places, strict=True)
            if selected
        ]
        rows_shown = [[rows[at] for at in selected] for rows, selected in zip(alone, places, strict=True) if selected]
        by_model = [_features(first, shown, rows_shown), *(_features(one, shown, _alone(one, shown)) for one in others)]
        joined = iter([[*chain(*own)] for own in zip(*by_model, strict=True)])
        return [next(joined) if selected else [] for selected in places]


def _alone(model: Joint, claims: Sequence[ClaimPassages]) -> list[list[list[float]]]:
    """Return the probabilities of the verdicts, [claims][passages, verdicts], when each passage is read alone."""
    read = _read(model, [(claim, [one]) for claim, passages in claims for one in passages])
    return [[[math.exp(score) for score in next(read)] for _ in passages] for _, passages in claims]


def _features(model: Joint, claims: Sequence[ClaimPassages], alone: Sequence[list[list[float]]]) -> list[list[float]]:
    """Return the features of each claim for one model.

    Each claim has at least one passage. `alone` has the probabilities [claims][passages, verdicts] of single passages.
    """
    return [features(rows, together) for rows, together in zip(alone, _read(model, claims), strict=True)]


def _read(model: Joint, claims: Sequence[ClaimPassages]) -> Iterator[list[float]]:
    """Return an iterator over the log-probabilities of the verdicts for each claim with its passages, in order."""
    inputs: list[Input] = [(claim, [("", one.text) for one in passages]) for claim, passages in claims]
    return iter(finite(model.log_probabilities(inputs)).tolist() if inputs else [])


def _not_repeated(claim: str, passages: Sequence[Passage], alone: Sequence[list[float]]) -> list[int]:
    """Return the indices (from 0) of the passages that do more than repeat the claim.

    `alone` has the probabilities [passages, verdicts] of the first model.
    """
    return [at for at, one in enumerate(passages) if not _is_repeated(claim, one, alone[at])]


def _is_repeated(claim: str, passage: Passage, read: Sequence[float]) -> bool:
    """Return True if the passage repeats the claim, and Refuted is no more probable than Supported.

    `read` has the probabilities [verdicts] of the passage.
    """
    supported, refuted = (read[VERDICTS.index(one)] for one in (Verdict.SUPPORTED, Verdict.REFUTED))
    return refuted <= supported and repeats(claim, passage)
