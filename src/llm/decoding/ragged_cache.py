"""Key-value cache of rows of unequal length, without padding before them.

Token t of a row is in slot t, whatever the other rows are, and the part of the cache that is read is a multiple of
BLOCK slots wide. A row's attention thus adds the same numbers in the same order as when it is alone, and zeros. A batch
gives the answers of its rows one by one under three conditions. Linear layers must do so (`packed.py`), texts must be
read in tiles (`tiled_attention.py`), and the processor must round a product the same whatever its width and address.
`python -m bench.questions --rows trained` counts the questions that came out differently.

Limitations: only for models whose layers all attend to the whole preceding text.
"""

from typing import Any

import torch

BLOCK = 32  # slots; attention sums over whole vectors of them


Pair = tuple[torch.Tensor, torch.Tensor]  # keys and values: (rows, slots, heads, numbers)


class RaggedCache:
    """Cache for attention layers: `update` stores keys and values and returns all that are stored."""

    def __init__(self, width: int) -> None:
        self._width = rounded(width)
        self._layers: dict[int, Pair] = {}
        self._slots = torch.empty(0, dtype=torch.long)
        self._read = 0

    def at(self, slots: torch.Tensor, read: int) -> torch.Tensor:
        """Prepare the next call of the model and return its attention mask.

        The call writes to `slots` (rows, tokens) and reads the first `read`. Each token sees the slots up to its own.
        """
        self._slots, self._read = slots, rounded(read)
        seen = torch.arange(self._read, device=slots.device) <= slots.unsqueeze(-1)
        return seen.unsqueeze(1)

    def update(self, keys: torch.Tensor, values: torch.Tensor, layer: int, *_: Any, **__: Any) -> Pair:
        if layer not in self._layers:
            self._layers[layer] = (self._empty(keys), self._empty(values))
        kept_keys, kept_values = self._layers[layer]
        slots = self._slots.to(keys.device)
        rows = torch.arange(len(keys), device=keys.device).unsqueeze(1)
        kept_keys[rows, slots] = keys.transpose(1, 2)
        kept_values[rows, slots] = values.transpose(1, 2)
        return kept_keys[:, : self._read].transpose(1, 2), kept_values[:, : self._read].transpose(1, 2)

    def _empty(self, new: torch.Tensor) -> torch.Tensor:
        rows, heads, _, numbers = new.shape
        return new.new_zeros(rows, self._width, heads, numbers)

    def repeated(self, rows: int, filled: int, width: int) -> "RaggedCache":
        """Return a cache of `rows` rows and at least `width` slots, each with this one row's `filled` slots."""
        cache = RaggedCache(width)

        def wider(one: torch.Tensor) -> torch.Tensor:
            whole = one.new_zeros(rows, cache._width, *one.shape[2:])
            whole[:, :filled] = one[:, :filled]
            return whole

        cache._layers = {layer: (wider(keys), wider(values)) for layer, (keys, values) in self._layers.items()}
        return cache

    @property
    def is_empty(self) -> bool:
        return not self._layers

    def put(self, rows: list[int], other: "RaggedCache", taken: list[int], count: int) -> None:
        """Copy the rows `taken` of the other cache to the beginning of these of `count` rows."""
        for layer, (keys, values) in other._layers.items():
            if layer not in self._layers:
                shape = count, self._width, *keys.shape[2:]
                self._layers[layer] = (keys.new_zeros(shape), values.new_zeros(shape))
            for mine, new in zip(self._layers[layer], (keys, values), strict=True):
                filled = min(new.shape[1], self._width)
                mine[rows, :filled] = new[taken, :filled]

    def select(self, rows: list[int]) -> None:
        """Keep these rows, in this order."""
        self._layers = {layer: (keys[rows], values[rows]) for layer, (keys, values) in self._layers.items()}

    def row(self, place: int) -> "RaggedCache":
        """Return a copy of this row alone."""
        cache = RaggedCache(self._width)
        cache._layers = {
            layer: (keys[place : place + 1].clone(), values[place : place + 1].clone())
            for layer, (keys, values) in self._layers.items()
        }
        return cache

    def get_seq_length(self, layer: int = 0) -> int:
        return self._read


def rounded(slots: int) -> int:
    return -(-slots // BLOCK) * BLOCK
