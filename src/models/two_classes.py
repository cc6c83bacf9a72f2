"""A classifier of several classes used as one of two: the class that means true, and all others together.

    p(false) = sum of p(class) over the others,   so its logit is their logsumexp

The probabilities of a classifier of two classes do not change.

Limitations: no weights are added. The inner model must be ready for training, with or without adapters.
"""

from typing import TYPE_CHECKING, Any

from torch import nn

if TYPE_CHECKING:
    from torch import Tensor


class TwoClasses(nn.Module):
    """A classifier of true and false. `true` is the index of the class that means true."""

    def __init__(self, model: Any, true: int) -> None:
        super().__init__()
        self.model, self._true = model, true

    @property
    def config(self) -> Any:
        return self.model.config

    @property
    def device(self) -> Any:
        return self.model.device

    def losses(self, labels: "Tensor", **inputs: "Tensor") -> "Tensor":
        """Return the cross-entropy of each row; label 0 is true, 1 false."""
        return nn.functional.cross_entropy(self(**inputs), labels, reduction="none")

    def forward(self, **inputs: "Tensor") -> "Tensor":
        """Return float32 logits [rows, 2]: true, false."""
        import torch

        plain = self.model.get_base_model() if hasattr(self.model, "get_base_model") else self.model
        found = plain(**inputs)
        logits: Tensor = getattr(found, "logits", found).float()  # transformers' classifiers return a record
        others = [place for place in range(logits.shape[-1]) if place != self._true]
        return torch.stack([logits[:, self._true], logits[:, others].logsumexp(-1)], -1)
