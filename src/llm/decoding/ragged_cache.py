"""The key-value cache of rows of unequal length, without padding before them.

Token t of a row stands in slot t, whatever stands beside the row, and what is read of the cache is a multiple of BLOCK
slots wide. So a row's attention adds the same numbers in the same order as when it is alone, and zeros: a batch says
what its rows say one by one, where linear layers do (`packed.py`), texts are read in tiles (`tiled_attention.py`) and
the processor rounds a product alike whatever its width and address; `python -m bench.questions --rows trained` counts
the questions that came out otherwise.

But: for models whose layers all attend to the whole text before them.
"""

from typing import Any

import torch

BLOCK = 32  # slots; attention sums over whole vectors of them


Pair = tuple[torch.Tensor, torch.Tensor]  # keys and values: (rows, slots, heads, numbers)


class RaggedCache:
    """What attention layers call: `update` puts in keys and values and gives back all that have been put in."""

    def __init__(self, width: int) -> None:
        self._width = rounded(width)
        self._layers: dict[int, Pair] = {}
        self._slots = torch.empty(0, dtype=torch.long)
        self._read = 0

    def at(self, slots: torch.Tensor, read: int) -> torch.Tensor:
        """The next call of the model writes to `slots` (rows, tokens) and reads the first `read`; its attention mask.

        Each token sees the slots up to its own.
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
        """A cache of `rows` rows and at least `width` slots, each beginning with the `filled` slots of this one row."""
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
        """These of `count` rows now begin with what these rows of the other cache hold."""
        for layer, (keys, values) in other._layers.items():
            if layer not in self._layers:
                shape = count, self._width, *keys.shape[2:]
                self._layers[layer] = (keys.new_zeros(shape), values.new_zeros(shape))
            for mine, new in zip(self._layers[layer], (keys, values), strict=True):
                filled = min(new.shape[1], self._width)
                mine[rows, :filled] = new[taken, :filled]

    def select(self, rows: list[int]) -> None:
        """Keeps these rows, in this order."""
        self._layers = {layer: (keys[rows], values[rows]) for layer, (keys, values) in self._layers.items()}

    def row(self, place: int) -> "RaggedCache":
        """A copy of this row alone."""
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
