"""The linear maps and normalizations of plain layers (`bert_layers.py`, `mpnet_layers.py`), from named weights.

Limitations: a map in bfloat16 on a CPU stores its weights in the packed format that the processor reads fastest
(`src/llm/packed.py`).
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor


class Linear:
    """A linear map with weight [outputs, width] and bias [outputs]."""

    def __init__(self, weight: "Tensor", bias: "Tensor") -> None:
        from torch.nn.functional import linear

        from src.llm.packed import Blocks, can_pack

        plain = partial(linear, weight=weight, bias=bias)
        self._map: Callable[[Tensor], Tensor] = Blocks(weight, bias) if can_pack(weight) else plain

    @classmethod
    def read(cls, state: Mapping[str, "Tensor"], *names: str) -> "Linear":
        """Return the map of that name. Several names give one map with all their outputs concatenated."""
        import torch

        return cls(*(torch.cat([state[f"{name}.{kind}"] for name in names]) for kind in ("weight", "bias")))

    def __call__(self, x: "Tensor") -> "Tensor":
        """Return [..., outputs] for x [..., width]."""
        return self._map(x)


class Norm:
    """A layer normalization; `epsilon` is added to the variance."""

    def __init__(self, state: Mapping[str, "Tensor"], name: str, epsilon: float) -> None:
        self._weight, self._bias, self._epsilon = state[f"{name}.weight"], state[f"{name}.bias"], epsilon

    def __call__(self, x: "Tensor") -> "Tensor":
        """Return x normalized, [..., width]."""
        from torch.nn.functional import layer_norm

        return layer_norm(x, self._weight.shape, self._weight, self._bias, self._epsilon)
