"""Linear layers that keep a bfloat16 weight in the memory layout of the processor's matrix units.

torch passes a weight to oneDNN as it is, and oneDNN reorders it for every product. With few rows, reordering takes
longer than the product. A packed weight is reordered once.

Limitations: oneDNN on a CPU only, by internal operators of torch (2.13). Other weights are multiplied as they are.
"""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

LAYOUT_ROWS = 64  # the rows that the memory layout of a weight is chosen for


def can_pack(weight: "Tensor") -> bool:
    """Return True if oneDNN is available and can pack this weight: bfloat16 on a CPU."""
    import torch

    is_available = torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_reorder_linear_weight")
    return is_available and weight.dtype is torch.bfloat16 and weight.device.type == "cpu"


def linear_map(weight: "Tensor", bias: "Tensor | None" = None) -> "Callable[[Tensor], Tensor]":
    """Return the function from rows [..., width] to [..., outputs] with weight [outputs, width] and bias [outputs].

    The weight is packed where that is possible; the function then holds no other copy of it.
    """
    from torch.nn.functional import linear

    return packed_map(weight, bias) if can_pack(weight) else partial(linear, weight=weight, bias=bias)


def packed_map(weight: "Tensor", bias: "Tensor | None") -> "Callable[[Tensor], Tensor]":
    """Return the function of `linear_map` for a weight that passes `can_pack`."""
    import torch

    packed = torch.ops.mkldnn._reorder_linear_weight(weight.detach(), LAYOUT_ROWS)

    def product(rows: "Tensor") -> "Tensor":
        outputs: Tensor = torch.ops.mkldnn._linear_pointwise(rows, packed, bias, "none", [], "")
        return outputs

    return product
