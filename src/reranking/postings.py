"""Postings: for each word, the texts that contain it and how often, in the smallest integer types that fit.

Postings are built in blocks of texts; each block is sorted, then merged into the arrays of all postings. This saves
memory: no array of 8-byte numbers is as long as the number of all words.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from src.vocabulary import NumberedWords

BLOCK = 500_000  # words

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Postings:
    """Postings of all words: word w occurs in the texts `texts[bounds[w]:bounds[w + 1]]`, in ascending order.

    `counts[i]` is the number of occurrences of the word in the text `texts[i]`.
    """

    bounds: Array
    texts: Array
    counts: Array

    @classmethod
    def of(cls, words: NumberedWords) -> Self:
        """Return the postings of tokenized texts."""
        blocks = [_sorted(words, first, last) for first, last in _blocks(words.lengths)]
        bounds = np.zeros(len(words.vocabulary) + 1, np.int64)
        for block in blocks:
            bounds[1:][block.words] += block.holders
        np.cumsum(bounds, out=bounds)
        most = max((int(block.counts.max(initial=0)) for block in blocks), default=0)
        texts = np.empty(bounds[-1], np.min_scalar_type(max(0, len(words.lengths) - 1)))
        counts = np.empty(bounds[-1], np.min_scalar_type(most))
        free = bounds[:-1].copy()
        while blocks:
            block = blocks.pop(0)
            places = np.repeat(free[block.words] - np.cumsum(block.holders) + block.holders, block.holders)
            places += np.arange(len(places))
            texts[places], counts[places] = block.texts, block.counts
            free[block.words] += block.holders
        return cls(bounds, texts, counts)

    def of_word(self, number: int) -> tuple[Array, Array]:
        """Return the texts that contain the word, and its count in each."""
        span = slice(int(self.bounds[number]), int(self.bounds[number + 1]))
        return self.texts[span], self.counts[span]

    def holders(self) -> npt.NDArray[np.int64]:
        """Return the number of texts that contain each word (shape [words])."""
        return np.diff(self.bounds)


@dataclass(frozen=True)
class _Block:
    """Postings of a block of texts; each text counts by its index among all texts."""

    words: npt.NDArray[np.int32]  # in the block, ascending
    holders: npt.NDArray[np.int32]  # number of texts that contain each of the words
    texts: npt.NDArray[np.int32]  # by word, then by text
    counts: Array


def _blocks(lengths: npt.NDArray[np.int32]) -> Iterator[tuple[int, int]]:
    """Yield the ranges of texts that form the blocks, about BLOCK words each; `lengths` are words per text."""
    ends = np.cumsum(lengths, dtype=np.int64)
    first = 0
    while first < len(lengths):
        before = int(ends[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(ends, before + BLOCK, side="right")))
        yield first, last
        first = last


def _sorted(words: NumberedWords, first: int, last: int) -> _Block:
    """Return the postings of the texts `first` to `last` - 1."""
    begin = int(words.lengths[:first].sum(dtype=np.int64))
    lengths = words.lengths[first:last]
    texts = np.repeat(np.arange(last - first), lengths)
    pairs = words.numbers[begin : begin + len(texts)] * np.int64(last - first) + texts
    pairs.sort()
    starts = np.flatnonzero(np.diff(pairs, prepend=-1))
    counts = np.diff(starts, append=len(pairs))
    numbers, texts = np.divmod(pairs[starts], last - first)
    held, holders = np.unique(numbers, return_counts=True)
    return _Block(
        held.astype(np.int32),
        holders.astype(np.int32),
        (texts + first).astype(np.int32),
        counts.astype(np.min_scalar_type(int(counts.max(initial=0)))),
    )
