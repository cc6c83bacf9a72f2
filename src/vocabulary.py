"""Vocabulary and token ids of many texts: one array of the token ids of all texts, and the token count of each text.

`numbered(texts, cut)` is for tokenizers that tokenize each chunk between white space by itself. Every distinct chunk is
tokenized once, and tokens are stored in arrays instead of Python objects.

Limitations: the tokenizer is the caller's. NLTK's tokenizer, which looks beyond a chunk, is applied by `bulk_words.py`.
"""

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, islice

import numpy as np
import numpy.typing as npt

BLOCK = 4_096  # texts per block; the chunks of a block fit in the processor's cache

Ints = npt.NDArray[np.int32]


@dataclass(frozen=True)
class NumberedWords:
    """Token ids of many texts.

    `vocabulary`: map from word to token id, sorted by id; ids count from 0 in the order of first appearance.
    `numbers`: token ids of all texts, one text after another.
    `lengths`: token count of each text.
    """

    vocabulary: dict[str, int]
    numbers: Ints
    lengths: Ints


def numbered(texts: Iterable[str], cut: Callable[[str], Sequence[str]]) -> NumberedWords:
    """Return the token ids of the texts; `cut(chunk)` returns the words of a chunk, a text without white space."""
    chunks, table, joined = Numbers(), WordTable(), WordsJoined()
    for block in blocks(texts):
        rows, sizes = chunk_numbers([text.split() for text in block], chunks)
        table.add([cut(chunk) for chunk in chunks.strings[table.rows :]])
        joined.add(table, rows, sizes)
    return joined.whole(table)


def blocks(texts: Iterable[str]) -> Iterator[list[str]]:
    """Yield the texts in lists of at most `BLOCK` texts."""
    rest = iter(texts)
    while block := list(islice(rest, BLOCK)):
        yield block


class Numbers(dict[str, int]):
    """Mapping from strings to numbers from 0, by first appearance; `strings` lists the strings by number."""

    def __init__(self) -> None:
        self.strings: list[str] = []

    def __missing__(self, string: str) -> int:
        number = self[string] = len(self)
        self.strings.append(string)
        return number


def chunk_numbers(cut: Sequence[Sequence[str]], chunks: Numbers) -> tuple[Ints, Ints]:
    """Return the chunk numbers of all texts in order, and the chunk count of each text; add new chunks to `chunks`.

    `cut`: the chunks of each text.
    """
    sizes = np.fromiter(map(len, cut), np.int32, len(cut))
    flat = chain.from_iterable(cut)
    return np.fromiter(map(chunks.__getitem__, flat), np.int32, int(sizes.sum())), sizes


class WordTable:
    """Table of token ids: a row contains those of one chunk or text. `add` appends rows, `expand` concatenates them."""

    def __init__(self) -> None:
        self.vocabulary = Numbers()
        self._words = array("i")
        self._bounds = array("q", [0])

    @property
    def rows(self) -> int:
        return len(self._bounds) - 1

    def add(self, rows: Sequence[Sequence[str]]) -> None:
        """Append rows, given as words; new words get the next token ids."""
        self._bounds.extend(islice(accumulate(map(len, rows), initial=len(self._words)), 1, None))
        self._words.extend(map(self.vocabulary.__getitem__, chain.from_iterable(rows)))

    def expand(self, rows: Ints) -> tuple[Ints, Ints]:
        """Return the token ids of the rows with these numbers, concatenated, and the token count of each row."""
        bounds, words = np.asarray(self._bounds), np.asarray(self._words)  # views, no copies
        lengths = np.diff(bounds)[rows]
        ends = np.cumsum(lengths)
        indices = np.repeat(bounds[rows] - ends + lengths, lengths)
        indices += np.arange(len(indices))
        return words[indices], lengths.astype(np.int32)


class WordsJoined:
    """Token ids of all blocks of texts, collected in order without a second copy in memory."""

    def __init__(self) -> None:
        self._numbers, self._lengths = array("i"), array("i")

    def add(self, table: WordTable, rows: Ints, sizes: Ints) -> None:
        """Append texts: `rows` are row numbers of the table for all texts, `sizes` the row count of each text."""
        words, counts = table.expand(rows)
        ends = np.concatenate([[0], np.cumsum(counts)])[np.concatenate([[0], np.cumsum(sizes)])]
        self._numbers.frombytes(words.view(np.uint8).data)
        self._lengths.frombytes(np.diff(ends).astype(np.int32).view(np.uint8).data)

    def whole(self, table: WordTable) -> NumberedWords:
        return NumberedWords(dict(table.vocabulary), np.asarray(self._numbers), np.asarray(self._lengths))
