"""Slots of a decoding batch: each row has a slot in the cache, and releases it when its answer has ended.

Waiting rows take over free slots, so a step is as full at the end of a call as at its beginning (Yu et al. 2022). If no
row is waiting, free slots are removed. A free slot is still decoded, but its output is ignored.

Limitations: manages slots of the cache, not tokens; `ragged_decoding.py` handles those.
"""

from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple

from src.llm.decoding.ragged_cache import RaggedCache

LEFT = 0.75  # the share of used slots below which slots are filled or removed: each time costs a copy


class Part(NamedTuple):
    """Some of the requested rows, by their positions in the list, and which row of a cache each of them is."""

    places: list[int]
    cache: RaggedCache
    taken: list[int]


Read = Callable[[list[int]], list[Part]]


class Seats:
    """Batch of slots. `rows` are the rows in the cache, by slot; `open` is the set of rows whose answers go on.

    There are always at least two slots: no step has a single one.
    """

    def __init__(self, count: int, most: int, width: int, read: Read) -> None:
        self._waiting, self._read = deque(range(count)), read
        self.cache = RaggedCache(width)
        self.rows = [0] * max(2, min(most, count))
        self.open: set[int] = set()

    @property
    def busy(self) -> bool:
        return bool(self.open or self._waiting)

    def settle(self) -> None:
        """Fill free slots with waiting rows, or remove them, if enough are free. Call it before a step."""
        if len(self.open) >= LEFT * len(self.rows):
            return
        if self._waiting:
            self._fill()
        elif len(kept := self._kept()) < len(self.rows):
            self.cache.select(kept)
            self.rows = [self.rows[place] for place in kept]

    def _fill(self) -> None:
        empty = [place for place, row in enumerate(self.rows) if row not in self.open]
        coming = [self._waiting.popleft() for _ in empty[: len(self._waiting)]]
        self.open.update(coming)
        for place, row in zip(empty, coming, strict=False):
            self.rows[place] = row
        seated = list(self.rows) if self.cache.is_empty else coming
        for part in self._read(seated):
            self.cache.put([empty[place] for place in part.places], part.cache, part.taken, len(self.rows))

    def _kept(self) -> list[int]:
        """Return the slots of open rows, and of others if there are fewer than two."""
        by_need = sorted(range(len(self.rows)), key=lambda place: self.rows[place] not in self.open)
        return by_need[: max(2, len(self.open))]


def distinct(prompts: Sequence[tuple[int, ...]]) -> tuple[list[tuple[int, ...]], list[int]]:
    """Return each prompt once, and the position of each row's prompt among them."""
    numbers = {prompt: number for number, prompt in enumerate(dict.fromkeys(prompts))}
    return list(numbers), [numbers[prompt] for prompt in prompts]
