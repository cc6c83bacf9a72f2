"""Linear layers that keep a bfloat16 weight in the memory layout of the processor's matrix units.

torch passes a weight to oneDNN as it is, and oneDNN reorders it for every product. With few rows, reordering takes
longer than the product. A packed weight is reordered once.

Limitations: oneDNN on a CPU only, by internal operators of torch (2.13). Other weights are multiplied as they are.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from torch import Tensor

LAYOUT_ROWS = 64  # the rows that the memory layout of a weight is chosen for
FEW, SOME, MANY = 16, 64, 256  # up to SOME rows are filled up to a multiple of FEW, more to a multiple of MANY


def can_pack(weight: "Tensor") -> bool:
    """Return True if oneDNN is available and can pack this weight: bfloat16 on a CPU."""
    import torch

    is_available = torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_reorder_linear_weight")
    return is_available and weight.dtype is torch.bfloat16 and weight.device.type == "cpu"


class LinearMap:
    """Linear map from rows [rows, width] to [rows, outputs] with weight [outputs, width].

    The weight is packed where that is possible; the map then holds no other copy of it. Up to `SOME` rows are then
    multiplied in one block of a multiple of `FEW` rows, more in blocks of `MANY`: oneDNN generates code for each size,
    and sizes may round differently. A row's result does not depend on the other rows in its block. The caller fills
    rows up to `rows_for` their number.
    """

    def __init__(self, weight: "Tensor") -> None:
        self._is_packed = can_pack(weight)
        self._weight = _packed(weight) if self._is_packed else weight

    def rows_for(self, count: int) -> int:
        """Return the number of rows to multiply when `count` are needed."""
        if not self._is_packed:
            return count
        return count + -count % _block(count)

    def __call__(self, rows: "Tensor") -> "Tensor":
        return self._products(rows, "none")

    def silu(self, rows: "Tensor") -> "Tensor":
        """Return the products after silu, with one rounding for both."""
        return self._products(rows, "swish")

    def combined(self, rows: "Tensor", other: "Tensor", operation: Literal["add", "mul"]) -> "Tensor":
        """Return the products after addition of, or multiplication with, `other` [rows, outputs], with one rounding."""
        import torch
        from torch.nn.functional import linear

        if not self._is_packed:
            products = linear(rows, self._weight)
            return products + other if operation == "add" else products * other
        product = torch.ops.mkldnn._linear_pointwise.binary
        size = _largest(len(rows))
        blocks = zip(rows.split(size), other.split(size), strict=True)
        return _joined([product(one, two, self._weight, None, operation) for one, two in blocks])

    def _products(self, rows: "Tensor", after: Literal["none", "swish"]) -> "Tensor":
        import torch
        from torch.nn.functional import linear, silu

        if not self._is_packed:
            products = linear(rows, self._weight)
            return silu(products) if after == "swish" else products
        product = torch.ops.mkldnn._linear_pointwise
        return _joined([product(one, self._weight, None, after, [], "") for one in rows.split(_largest(len(rows)))])


def _block(rows: int) -> int:
    """Return the number that rows are filled up to a multiple of."""
    return FEW if rows <= SOME else MANY


def _largest(rows: int) -> int:
    """Return the most rows that are multiplied at once."""
    return SOME if rows <= SOME else MANY


def _joined(blocks: "Sequence[Tensor]") -> "Tensor":
    import torch

    return blocks[0] if len(blocks) == 1 else torch.cat(list(blocks))


def in_blocks(product: "Callable[[Tensor], Tensor]", rows: "Tensor", size: int) -> "Tensor":
    """Return the product of rows [rows, width] in blocks of `size` rows; the last one is filled up with zeros."""
    from torch.nn.functional import pad

    missing = -len(rows) % size
    filled = pad(rows, (0, 0, 0, missing)) if missing else rows
    return _joined([product(block) for block in filled.split(size)])[: len(rows)]


def packed_map(weight: "Tensor", bias: "Tensor | None") -> "Callable[[Tensor], Tensor]":
    """Return the function from rows [rows, width] to [rows, outputs] for a weight that passes `can_pack`."""
    import torch

    packed = _packed(weight)

    def product(rows: "Tensor") -> "Tensor":
        outputs: Tensor = torch.ops.mkldnn._linear_pointwise(rows, packed, bias, "none", [], "")
        return outputs

    return product


def _packed(weight: "Tensor") -> "Tensor":
    import torch

    packed: Tensor = torch.ops.mkldnn._reorder_linear_weight(weight.detach(), LAYOUT_ROWS)
    return packed
