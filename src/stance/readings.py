"""Readings of a claim's passages by verdict models: each alone, and all together, without questions.

A passage that repeats the claim is ignored, unless the first model gives Refuted a higher probability than Supported:
then it quotes the claim to correct it.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Protocol

from src.llm.protocol import ModelInfo
from src.models.classifier import finite
from src.models.evidence_rows import Input
from src.records import VERDICTS, Verdict
from src.stance.features import features
from src.stance.reader import ClaimPassages
from src.stance.records import Passage
from src.stance.restatement import repeats

if TYPE_CHECKING:
    from torch import Tensor


class Joint(Protocol):
    """A verdict model that returns log-probabilities, float32 [inputs, verdicts]."""

    @property
    def info(self) -> ModelInfo: ...

    def log_probabilities(self, inputs: Sequence[Input]) -> "Tensor": ...


class Readings:
    """Verdict models that read the same passages. The first one decides which passages only repeat the claim."""

    def __init__(self, models: Sequence[Joint]) -> None:
        """Create the readings; `models` has at least one model."""
        self.models = models

    def features(self, claims: Sequence[ClaimPassages]) -> list[list[float]]:
        """Return the features of each claim, those of all models concatenated.

        A claim has an empty list if it has no passages, or only such that repeat it.
        Raises: ModelError if a model fails.
        """
        first, *others = self.models
        alone = _alone(first, claims)
        places = [_not_repeated(claim, passages, rows) for (claim, passages), rows in zip(claims, alone, strict=True)]
        shown = [(claim, [own[at] for at in kept]) for (claim, own), kept in zip(claims, places, strict=True) if kept]
        rows_shown = [[rows[at] for at in kept] for rows, kept in zip(alone, places, strict=True) if kept]
        by_model = [_features(first, shown, rows_shown), *(_features(one, shown, _alone(one, shown)) for one in others)]
        found = iter([[*chain(*own)] for own in zip(*by_model, strict=True)])
        return [next(found) if kept else [] for kept in places]


def _alone(model: Joint, claims: Sequence[ClaimPassages]) -> list[list[list[float]]]:
    """Return the probabilities of the verdicts, [claims][passages, verdicts], of passages that are read alone."""
    read = _read(model, [(claim, [one]) for claim, passages in claims for one in passages])
    return [[[math.exp(score) for score in next(read)] for _ in passages] for _, passages in claims]


def _features(model: Joint, claims: Sequence[ClaimPassages], alone: Sequence[list[list[float]]]) -> list[list[float]]:
    """Return the FEATURES of each claim; each has at least one passage."""
    return [features(rows, together) for rows, together in zip(alone, _read(model, claims), strict=True)]


def _read(model: Joint, asked: Sequence[ClaimPassages]) -> Iterator[list[float]]:
    """Return an iterator over the log-probabilities of the verdicts, in order."""
    inputs: list[Input] = [(claim, [("", one.text) for one in passages]) for claim, passages in asked]
    return iter(finite(model.log_probabilities(inputs)).tolist() if inputs else [])


def _not_repeated(claim: str, passages: Sequence[Passage], alone: Sequence[list[float]]) -> list[int]:
    """Return the positions of the passages that do not only repeat the claim."""
    return [at for at, one in enumerate(passages) if not _is_repeated(claim, one, alone[at])]


def _is_repeated(claim: str, passage: Passage, read: Sequence[float]) -> bool:
    """Return True if the passage repeats the claim and Refuted is no more probable than Supported."""
    supported, refuted = (read[VERDICTS.index(one)] for one in (Verdict.SUPPORTED, Verdict.REFUTED))
    return refuted <= supported and repeats(claim, passage)
