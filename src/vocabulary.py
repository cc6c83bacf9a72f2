"""The words of many texts as numbers: a vocabulary, one array of word numbers, and how many belong to each text.

`numbered(texts, cut)` makes them where the words of a text are those of its chunks between white space: every distinct
chunk is cut once, and no token is ever a Python object.

But: knows no rules of words; NLTK's, which need more than the chunk, stand in `src/nltk_words/in_bulk.py`.
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
    """`numbers` are the words of all texts in their order, `lengths` how many words each text has.

    `vocabulary` numbers words from 0 by their first appearance: its order is theirs.
    """

    vocabulary: dict[str, int]
    numbers: Ints
    lengths: Ints


def numbered(texts: Iterable[str], cut: Callable[[str], Sequence[str]]) -> NumberedWords:
    """The words of the texts, `cut(chunk)` being those of a chunk without white space."""
    chunks, table, joined = Numbers(), WordTable(), WordsJoined()
    for block in blocks(texts):
        rows, sizes = chunk_numbers([text.split() for text in block], chunks)
        table.add([cut(chunk) for chunk in chunks.strings[table.rows :]])
        joined.add(table, rows, sizes)
    return joined.whole(table)


def blocks(texts: Iterable[str]) -> Iterator[list[str]]:
    """The texts, some thousands at a time."""
    rest = iter(texts)
    while block := list(islice(rest, BLOCK)):
        yield block


class Numbers(dict[str, int]):
    """Numbers strings from 0 by their first appearance; `strings` are they, by number."""

    def __init__(self) -> None:
        self.strings: list[str] = []

    def __missing__(self, string: str) -> int:
        number = self[string] = len(self)
        self.strings.append(string)
        return number


def chunk_numbers(cut: Sequence[Sequence[str]], chunks: Numbers) -> tuple[Ints, Ints]:
    """The numbers of all chunks one after another, and how many each text has; new ones are added to `chunks`."""
    sizes = np.fromiter(map(len, cut), np.int32, len(cut))
    flat = chain.from_iterable(cut)
    return np.fromiter(map(chunks.__getitem__, flat), np.int32, int(sizes.sum())), sizes


class WordTable:
    """Rows of words as numbers: `add` appends rows, `expand` puts rows one after another."""

    def __init__(self) -> None:
        self.vocabulary = Numbers()
        self._words = array("i")
        self._bounds = array("q", [0])

    @property
    def rows(self) -> int:
        return len(self._bounds) - 1

    def add(self, rows: Sequence[Sequence[str]]) -> None:
        """New words are numbered in the order of the rows."""
        self._bounds.extend(islice(accumulate(map(len, rows), initial=len(self._words)), 1, None))
        self._words.extend(map(self.vocabulary.__getitem__, chain.from_iterable(rows)))

    def expand(self, rows: Ints) -> tuple[Ints, Ints]:
        """The words of these rows, and how many each row has."""
        bounds, words = np.asarray(self._bounds), np.asarray(self._words)  # views, no copies
        lengths = np.diff(bounds)[rows]
        ends = np.cumsum(lengths)
        places = np.repeat(bounds[rows] - ends + lengths, lengths)
        places += np.arange(len(places))
        return words[places], lengths.astype(np.int32)


class WordsJoined:
    """The words of the blocks one after another, without a second copy of them."""

    def __init__(self) -> None:
        self._numbers, self._lengths = array("i"), array("i")

    def add(self, table: WordTable, rows: Ints, sizes: Ints) -> None:
        """The next texts, given as rows of the table and the number of rows of each text."""
        words, counts = table.expand(rows)
        ends = np.concatenate([[0], np.cumsum(counts)])[np.concatenate([[0], np.cumsum(sizes)])]
        self._numbers.frombytes(words.view(np.uint8).data)
        self._lengths.frombytes(np.diff(ends).astype(np.int32).view(np.uint8).data)

    def whole(self, table: WordTable) -> NumberedWords:
        return NumberedWords(dict(table.vocabulary), np.asarray(self._numbers), np.asarray(self._lengths))
