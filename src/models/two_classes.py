"""A classifier of any classes read as one of two: the class that says true, and all others together.

    p(false) = sum of p(class) over the others,   so its logit is their logsumexp

A classifier of two classes stays as it is.

But: the model inside is ready to be trained, with adapters or without; this adds no weights.
"""

from typing import TYPE_CHECKING, Any

from torch import nn

if TYPE_CHECKING:
    from torch import Tensor


class TwoClasses(nn.Module):
    """`true` is the place of the class that says true."""

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
        """float32 [rows, 2]: true, false."""
        import torch

        plain = self.model.get_base_model() if hasattr(self.model, "get_base_model") else self.model
        found = plain(**inputs)
        logits: Tensor = getattr(found, "logits", found).float()  # transformers' own classifiers answer with a record
        others = [place for place in range(logits.shape[-1]) if place != self._true]
        return torch.stack([logits[:, self._true], logits[:, others].logsumexp(-1)], -1)
