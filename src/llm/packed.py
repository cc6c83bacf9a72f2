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
FEW, MANY = 32, 256  # rows of a block, where a step adds a token to each of some answers, and where prompts are read


def can_pack(weight: "Tensor") -> bool:
    """Return True if oneDNN is available and can pack this weight: bfloat16 on a CPU."""
    import torch

    is_available = torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_reorder_linear_weight")
    return is_available and weight.dtype is torch.bfloat16 and weight.device.type == "cpu"


def linear_map(weight: "Tensor") -> "Callable[[Tensor], Tensor]":
    """Return the function from rows [rows, width] to [rows, outputs] with weight [outputs, width].

    The weight is packed where that is possible; the function then holds no other copy of it. Rows are then multiplied
    in blocks of one size, so that a row's result does not depend on the number of other rows: blocks of `FEW` for up
    to LAYOUT_ROWS rows, else of `MANY`. oneDNN generates code for each size.
    """
    from torch.nn.functional import linear

    if not can_pack(weight):
        return partial(linear, weight=weight)
    product = packed_map(weight, None)
    return lambda rows: in_blocks(product, rows, FEW if len(rows) <= LAYOUT_ROWS else MANY)


def in_blocks(product: "Callable[[Tensor], Tensor]", rows: "Tensor", size: int) -> "Tensor":
    """Return the product of rows [rows, width] in blocks of `size` rows; the last one is filled up with zeros."""
    import torch
    from torch.nn.functional import pad

    missing = -len(rows) % size
    products = [product(block) for block in (pad(rows, (0, 0, 0, missing)) if missing else rows).split(size)]
    return (products[0] if len(products) == 1 else torch.cat(products))[: len(rows)]


def packed_map(weight: "Tensor", bias: "Tensor | None") -> "Callable[[Tensor], Tensor]":
    """Return the function from rows [rows, width] to [rows, outputs] for a weight that passes `can_pack`."""
    import torch

    packed = torch.ops.mkldnn._reorder_linear_weight(weight.detach(), LAYOUT_ROWS)

    def product(rows: "Tensor") -> "Tensor":
        outputs: Tensor = torch.ops.mkldnn._linear_pointwise(rows, packed, bias, "none", [], "")
        return outputs

    return product
