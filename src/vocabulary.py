"""Words of many texts as numbers: a vocabulary, one array of word numbers, and the word count of each text.

`numbered(texts, cut)` builds them if the words of a text are those of its chunks between white space. Every distinct
chunk is tokenized once, and no token becomes a Python object.

Limitations: has no tokenization rules. NLTK's rules, which need more than the chunk, are in
`bulk_words.py`.
"""

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, islice

import numpy as np
import numpy.typing as npt

BLOCK = 4_096  # texts; a block's chunks stay in the processor's cache

Ints = npt.NDArray[np.int32]


@dataclass(frozen=True)
class NumberedWords:
    """Words of many texts as numbers.

    `vocabulary` numbers the words from 0 by first appearance, and its keys have that order. `numbers` are the words of
    all texts in order, `lengths` the word count of each text.
    """

    vocabulary: dict[str, int]
    numbers: Ints
    lengths: Ints


def numbered(texts: Iterable[str], cut: Callable[[str], Sequence[str]]) -> NumberedWords:
    """Return the words of the texts as numbers; `cut(chunk)` gives the words of a chunk without white space."""
    chunks, table, joined = Numbers(), WordTable(), WordsJoined()
    for block in blocks(texts):
        rows, sizes = chunk_numbers([text.split() for text in block], chunks)
        table.add([cut(chunk) for chunk in chunks.strings[table.rows :]])
        joined.add(table, rows, sizes)
    return joined.whole(table)


def blocks(texts: Iterable[str]) -> Iterator[list[str]]:
    """Yield the texts in lists of at most `BLOCK`."""
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
    """Return the numbers of all chunks in order, and the chunk count of each text; new chunks are added to `chunks`."""
    sizes = np.fromiter(map(len, cut), np.int32, len(cut))
    flat = chain.from_iterable(cut)
    return np.fromiter(map(chunks.__getitem__, flat), np.int32, int(sizes.sum())), sizes


class WordTable:
    """Table of rows of word numbers: `add` appends rows, `expand` concatenates rows."""

    def __init__(self) -> None:
        self.vocabulary = Numbers()
        self._words = array("i")
        self._bounds = array("q", [0])

    @property
    def rows(self) -> int:
        return len(self._bounds) - 1

    def add(self, rows: Sequence[Sequence[str]]) -> None:
        """Append rows; new words are numbered in the order of the rows."""
        self._bounds.extend(islice(accumulate(map(len, rows), initial=len(self._words)), 1, None))
        self._words.extend(map(self.vocabulary.__getitem__, chain.from_iterable(rows)))

    def expand(self, rows: Ints) -> tuple[Ints, Ints]:
        """Return the words of these rows, and the word count of each row."""
        bounds, words = np.asarray(self._bounds), np.asarray(self._words)  # views, no copies
        lengths = np.diff(bounds)[rows]
        ends = np.cumsum(lengths)
        places = np.repeat(bounds[rows] - ends + lengths, lengths)
        places += np.arange(len(places))
        return words[places], lengths.astype(np.int32)


class WordsJoined:
    """Words of all blocks in order, without a second copy of them."""

    def __init__(self) -> None:
        self._numbers, self._lengths = array("i"), array("i")

    def add(self, table: WordTable, rows: Ints, sizes: Ints) -> None:
        """Append texts, given as rows of the table and the row count of each text."""
        words, counts = table.expand(rows)
        ends = np.concatenate([[0], np.cumsum(counts)])[np.concatenate([[0], np.cumsum(sizes)])]
        self._numbers.frombytes(words.view(np.uint8).data)
        self._lengths.frombytes(np.diff(ends).astype(np.int32).view(np.uint8).data)

    def whole(self, table: WordTable) -> NumberedWords:
        return NumberedWords(dict(table.vocabulary), np.asarray(self._numbers), np.asarray(self._lengths))
