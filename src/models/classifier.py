"""Trained classifiers by input layout, and a cache of their logits.

A classifier is an encoder with a head (`trained_classifier.py`), or a language model that answers in one word
(`prompted_classifier.py`). Checking a claim needs the logits of the same passage several times: to choose the passage,
for the verdict, and to find what would change the verdict. `CachedClassifier` computes them once.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from src.errors import ModelError
from src.llm.protocol import ModelInfo
from src.models.base_model import BaseModel, find_base
from src.models.evidence_rows import Input
from src.models.prompted_classifier import PROMPT_LAYOUTS, load_prompted
from src.models.trained import Trained, read_trained
from src.models.trained_classifier import load_trained

if TYPE_CHECKING:
    from torch import Tensor

MOST_CACHED = 4096  # inputs


class Classifier(Protocol):
    """A loaded classifier (`trained_classifier.py`, `prompted_classifier.py`)."""

    trained: Trained
    info: ModelInfo

    def logits(self, inputs: Sequence[Input]) -> "Tensor":
        """Return each input's logits: float32 [inputs, classes] on the CPU. Raises ModelError when the model fails."""


class CachedClassifier:
    """A classifier with a cache of logits by input.

    The cache is cleared when it has more than `MOST_CACHED` inputs.
    """

    def __init__(self, classifier: Classifier) -> None:
        self._classifier = classifier
        self._cache: dict[Input, Tensor] = {}
        self.trained, self.info = classifier.trained, classifier.info

    def logits(self, inputs: Sequence[Input]) -> "Tensor":
        """Return each input's logits: float32 [inputs, classes] on the CPU.

        Raises ModelError when the model fails or a logit is not finite.
        """
        import torch

        if len(self._cache) > MOST_CACHED:
            self._cache.clear()
        keys = [_hashable(key) for key in inputs]
        if new := [key for key in dict.fromkeys(keys) if key not in self._cache]:
            self._cache |= zip(new, finite(self._classifier.logits(new)), strict=True)
        return torch.stack([self._cache[key] for key in keys]) if keys else self._classifier.logits([])


def finite(scores: "Tensor") -> "Tensor":
    """Return a model's scores unchanged. Raises ModelError when one is not finite: no verdict may be based on it."""
    if not bool(scores.isfinite().all()):
        raise ModelError("the verdict model gave a score that is not a number")
    return scores


def _hashable(item: Input) -> Input:
    return item if isinstance(item, str) else (item[0], tuple((first, second) for first, second in item[1]))


def load_classifier(
    folder: Path,
    task: str,
    dtype: str | None = None,
    device: str | None = None,
    find: Callable[[str], BaseModel] = find_base,
) -> Classifier:
    """Load the trained classifier of a folder. `find` finds the base model of an encoder by its name.

    Raises InputError when the folder is damaged or of another task, MissingExtra when its base is not installed.
    """
    if read_trained(folder, task).layout in PROMPT_LAYOUTS:
        return load_prompted(folder, task, dtype, device)
    return load_trained(folder, task, dtype, device, find)
