"""A classifier with a cache of its logits.

A check asks a model about the same passage several times: to choose it, for the verdict, and for what would change it.
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
        """Return float32 [inputs, classes] on the CPU, in the order of the inputs.

        Raises ModelError when the model fails.
        """


class CachedClassifier:
    """A classifier that computes only the logits that are not in its cache.

    The cache is cleared when it has more than `MOST_KEPT` inputs.
    """

    def __init__(self, classifier: Classifier) -> None:
        self._classifier = classifier
        self._kept: dict[Input, Tensor] = {}
        self.trained, self.info = classifier.trained, classifier.info

    def logits(self, inputs: Sequence[Input]) -> "Tensor":
        """Return float32 [inputs, classes] on the CPU, in the order of the inputs.

        Raises ModelError when the model fails or a logit is not finite.
        """
        import torch

        if len(self._kept) > MOST_KEPT:
            self._kept.clear()
        asked = [_hashable(one) for one in inputs]
        if new := [one for one in dict.fromkeys(asked) if one not in self._kept]:
            self._kept |= zip(new, finite(self._classifier.logits(new)), strict=True)
        return torch.stack([self._kept[one] for one in asked]) if asked else self._classifier.logits([])


def _hashable(one: Input) -> Input:
    return one if isinstance(one, str) else (one[0], tuple((first, second) for first, second in one[1]))
