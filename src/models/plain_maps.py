"""The linear maps and normalisations of plain layers (`bert_layers.py`, `mpnet_layers.py`), from named weights.

But: a map in bfloat16 on a CPU keeps its weights as the processor reads them fastest (`src/llm/packed.py`), not as they
came.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor


class Linear:
    """Weight [outputs, width] and bias [outputs]."""

    def __init__(self, weight: "Tensor", bias: "Tensor") -> None:
        from torch.nn.functional import linear

        from src.llm.packed import Blocks, can_pack

        plain = partial(linear, weight=weight, bias=bias)
        self._map: Callable[[Tensor], Tensor] = Blocks(weight, bias) if can_pack(weight) else plain

    @classmethod
    def read(cls, state: Mapping[str, "Tensor"], *names: str) -> "Linear":
        """The one of that name; of several, one that gives all their outputs beside each other."""
        import torch

        return cls(*(torch.cat([state[f"{name}.{kind}"] for name in names]) for kind in ("weight", "bias")))

    def __call__(self, x: "Tensor") -> "Tensor":
        """[..., width] to [..., outputs]."""
        return self._map(x)


class Norm:
    """Layer normalisation; `epsilon` is added to the variance."""

    def __init__(self, state: Mapping[str, "Tensor"], name: str, epsilon: float) -> None:
        self._weight, self._bias, self._epsilon = state[f"{name}.weight"], state[f"{name}.bias"], epsilon

    def __call__(self, x: "Tensor") -> "Tensor":
        """[..., width] to the same."""
        from torch.nn.functional import layer_norm

        return layer_norm(x, self._weight.shape, self._weight, self._bias, self._epsilon)
