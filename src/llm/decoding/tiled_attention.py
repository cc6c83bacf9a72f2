"""Attention of a text in tiles: queries of TILE slots at a time, to the keys of all slots up to theirs.

On some processors the rounding of a product depends on its shape. A tile's shape follows from its position in the text
only. A token's attention is thus the same, to the bit, however many others are read with it.

Limitations: on a CPU only. The tokens must be in consecutive slots, the same in all rows, and each must see the slots
up to its own.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.nn.functional import pad
from transformers import AttentionInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward

TILE = 32  # slots
NAME = "tiles_of_sdpa"


@contextmanager
def in_tiles(model: Any) -> Iterator[None]:
    """Compute the model's attention in tiles inside the block, on a CPU."""
    before = model.config._attn_implementation
    if model.device.type == "cpu":
        model.config._attn_implementation = NAME
    try:
        yield
    finally:
        model.config._attn_implementation = before


def tiled_attention(
    module: Any, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: torch.Tensor, **more: Any
) -> tuple[torch.Tensor, None]:
    """Return the attention, [rows, tokens, heads, numbers].

    `query` is [rows, heads, tokens, numbers]. `key` and `value` have as many slots as whole tiles have. `mask` [rows,
    1, tokens, slots] is True if a token sees a slot.
    """
    first = int(mask[0, 0, 0].sum()) - 1
    last = first + query.shape[2]
    found = []
    for start in range(first - first % TILE, last, TILE):
        end = start + TILE
        own = slice(max(start, first) - first, min(end, last) - first)
        around = max(first - start, 0), max(end - last, 0)
        tile = pad(query[:, :, own], (0, 0, *around))
        seen = pad(mask[:, :, own, :end], (0, 0, *around), value=True)
        all_of_it, _ = sdpa_attention_forward(module, tile, key[:, :, :end], value[:, :, :end], seen, **more)
        found.append(all_of_it[:, around[0] : TILE - around[1]])
    return torch.cat(found, 1), None


AttentionInterface.register(NAME, tiled_attention)
