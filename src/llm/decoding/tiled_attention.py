"""Attention of a text that is read, in tiles: queries of TILE slots at a time, to the keys of all slots up to theirs.

How a product is rounded depends on its shape on some processors. A tile's shape follows from its place in the text
alone, so a token's attention is the same, to the bit, with however many others it is read.

But: on a CPU; for tokens in consecutive slots, the same in all rows, each of which sees the slots up to its own.
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
    """The model's attention is in tiles here, on a CPU."""
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
    """`query` [rows, heads, tokens, numbers], key and value of as many slots as whole tiles have, `mask` [rows, 1,
    tokens, slots]: whether a token sees a slot. Gives [rows, tokens, heads, numbers].
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
