"""Linear layers in bfloat16 whose weights have the memory layout of the processor's matrix units.

torch passes a weight as it is, and oneDNN reorders it for every product. With few rows, as when one token is added to
each, that takes longer than the product. Here it is reordered once.

Limitations: oneDNN on a CPU only, by operators of torch that its compiler uses (torch 2.13). Where they are missing,
layers are not changed.
"""

from typing import Any

import torch
from torch import nn

STEP_ROWS = 64  # of a block where a model adds one token to each of some rows; the layout is chosen for it
READ_ROWS = 256  # of a block where a model reads whole texts


class Blocks:
    """A linear map in bfloat16 whose rows are multiplied in blocks of one size, the last one padded with zeros.

    On some processors the rounding of a product depends on the number of rows. With blocks, a row's product is always
    the same, to the bit, whatever the other rows are.
    """

    def __init__(self, weight: torch.Tensor, bias: torch.Tensor | None) -> None:
        self._packed = torch.ops.mkldnn._reorder_linear_weight(weight.detach(), STEP_ROWS)
        self._bias = bias

    def __call__(self, rows: torch.Tensor, size: int = READ_ROWS) -> torch.Tensor:
        """Return [..., outputs] for rows of shape [..., width], computed in blocks of `size` rows."""
        flat = rows.reshape(-1, rows.shape[-1])
        missing = -len(flat) % size
        full = torch.cat([flat, flat.new_zeros(missing, flat.shape[1])]) if missing else flat
        products = [self._product(block) for block in full.split(size)]
        whole = products[0] if len(products) == 1 else torch.cat(products)
        return whole[: len(flat)].view(*rows.shape[:-1], -1)

    def _product(self, block: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = torch.ops.mkldnn._linear_pointwise(block, self._packed, self._bias, "none", [], "")
        return found


def can_pack(weight: torch.Tensor) -> bool:
    """Return True if a weight can be reordered here."""
    there = torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_reorder_linear_weight")
    return there and weight.dtype is torch.bfloat16 and weight.device.type == "cpu"


class PackedLinear(nn.Module):
    """Linear layer with a reordered weight.

    `weight` has values only if others read them too; otherwise only its shape and format.
    """

    def __init__(self, layer: nn.Linear, *, read_elsewhere: bool) -> None:
        super().__init__()
        self._blocks = Blocks(layer.weight, layer.bias)
        self.bias = layer.bias
        self.weight = layer.weight if read_elsewhere else nn.Parameter(layer.weight.to("meta"), requires_grad=False)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """Return the outputs of [rows, tokens, width]; one token per row is a step, more are a text that is read."""
        return self._blocks(rows, STEP_ROWS if rows.dim() < 3 or rows.shape[1] == 1 else READ_ROWS)


def pack(model: Any) -> None:
    """Reorder the linear layers of a transformers model, in place; it can then be neither trained nor saved."""
    embedded = {id(module.weight) for module in model.modules() if isinstance(module, nn.Embedding)}
    head = model.get_output_embeddings()  # scored in float32 (`label_scores.py`)
    for parent in list(model.modules()):
        for name, layer in list(parent.named_children()):
            if type(layer) is nn.Linear and can_pack(layer.weight):
                read_elsewhere = layer is head or id(layer.weight) in embedded
                setattr(parent, name, PackedLinear(layer, read_elsewhere=read_elsewhere))
