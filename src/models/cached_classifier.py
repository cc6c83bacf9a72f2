"""A classifier with a cache of its last logits.

A check asks a model for the same passage several times: for its choice, for the verdict, for what would change it.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from src.llm.protocol import ModelInfo
from src.models.evidence_rows import Input
from src.models.trained import Trained
from src.models.veracity import finite

if TYPE_CHECKING:
    from torch import Tensor

MOST_KEPT = 4096  # inputs


class Classifier(Protocol):
    """A loaded classifier (`trained_classifier.py`, `prompted_classifier.py`)."""

    trained: Trained
    info: ModelInfo

    def logits(self, inputs: Sequence[Input]) -> "Tensor":
        """float32 [inputs, classes] on the CPU, in the order asked. Raises ModelError."""


class CachedClassifier:
    """Asks a classifier for those inputs alone that it was not asked for before."""

    def __init__(self, classifier: Classifier) -> None:
        self._classifier = classifier
        self._kept: dict[Input, Tensor] = {}
        self.trained, self.info = classifier.trained, classifier.info

    def logits(self, inputs: Sequence[Input]) -> "Tensor":
        """float32 [inputs, classes] on the CPU, in the order asked. Raises ModelError, also where one is not finite."""
        import torch

        if len(self._kept) > MOST_KEPT:
            self._kept.clear()
        asked = [_hashable(one) for one in inputs]
        if new := [one for one in dict.fromkeys(asked) if one not in self._kept]:
            self._kept |= zip(new, finite(self._classifier.logits(new)), strict=True)
        return torch.stack([self._kept[one] for one in asked]) if asked else self._classifier.logits([])


def _hashable(one: Input) -> Input:
    return one if isinstance(one, str) else (one[0], tuple((first, second) for first, second in one[1]))
