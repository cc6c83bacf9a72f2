"""NLTK tokenization of thousands of texts at a time, to token ids: the tokens of NLTK, four times as fast.

A chunk is the text between two spaces. Chunks are numbered; the sentence ends and the position of each chunk in its
sentence (first, middle, last, alone) are then computed with arrays. Each chunk is tokenized once per position.

To decide whether a full stop, question mark or exclamation mark ends a sentence, punkt (NLTK's sentence splitter) looks
at its chunk and at most the next chunk. Most chunks therefore always or never end a sentence. For the others, punkt is
called with both chunks.

Limitations: some texts (`odd`) are tokenized one by one. They contain white space other than single spaces, or a chunk
with several punctuation marks or one inside, for which two chunks do not decide the sentence end.
"""

import re
from array import array
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from itertools import compress

import numpy as np
import numpy.typing as npt

from src.nltk_words import RememberedWords, without_stop
from src.vocabulary import Ints, NumberedWords, Numbers, WordsJoined, WordTable, blocks, chunk_numbers

# Whether a sentence ends after a chunk. CLOSER is added for closing quotes or brackets, which punkt may move.
NEVER, ALWAYS, ASK, ODD, CLOSER = 0, 1, 2, 4, 8

_MARK_WITHIN = re.compile(r"""[.?!](?=[)";}\]*:@'({\[?!])""")  # what punkt looks at, besides a mark before white space
_CLOSERS = re.compile(r"""["')\]}]*""")
_MOVED = re.compile(r"""["')\]}]+(?:--.*)?|[\])}>"'»\u201d\u2019]+""")  # to the sentence before; before the full stop
_QUIET = re.compile(r"""[^\s.?!"')\]}>»\u201d\u2019]+""")
_PLAIN = re.compile(r"((?:[0-9A-Za-z]+-)*([A-Za-z]{2,}))\.")  # one word to punkt, and no number

_MIDDLE, _FIRST, _LAST, _ALONE = range(4)
_POSITIONS = 4

Bools = npt.NDArray[np.bool_]
Keys = npt.NDArray[np.int64]


class SentenceEnds:
    """Sentence ends after chunks, as a punkt sentence splitter finds them.

    `breaks`: function that returns True if punkt finds a sentence end in a text.
    `known`: lower-case words after which a full stop may not end a sentence (abbreviations, collocations).
    """

    def __init__(self, breaks: Callable[[str], bool], known: AbstractSet[str]) -> None:
        self._breaks = breaks
        self._known = known

    def after(self, chunk: str) -> int:
        """Return whether a sentence ends after the chunk.

        NEVER or ALWAYS: this does not depend on the next chunk. ASK: `between` must decide. ODD: two chunks do not
        decide it. CLOSER is added for a chunk of closing quotes or brackets, which punkt may move.
        """
        if _QUIET.fullmatch(chunk):
            return NEVER
        if chunk.split() != [chunk]:
            return ODD
        return self._after_marks(chunk) | (CLOSER if _MOVED.fullmatch(chunk) else 0)

    def between(self, chunk: str, following: str) -> bool:
        """Return True if a sentence ends between the two chunks. Needed if `after(chunk)` is ASK."""
        return self._breaks(f"{chunk} {following}")

    def _after_marks(self, chunk: str) -> int:
        marks = list(_MARK_WITHIN.finditer(chunk))
        if not marks:
            return self._after_last(chunk)
        end = marks[0].end()
        if len(marks) > 1 or not _CLOSERS.fullmatch(chunk, end):
            return ODD
        return ALWAYS if self._breaks(chunk[: end + 1]) else NEVER

    def _after_last(self, chunk: str) -> int:
        if chunk[-1] == ".":
            plain = _PLAIN.fullmatch(chunk)
            return ALWAYS if plain and self._known.isdisjoint((plain[1].lower(), plain[2].lower())) else ASK
        return ALWAYS if chunk[-1] in "?!" else NEVER


def numbered_in_bulk(texts: Iterable[str], words: RememberedWords, ends: SentenceEnds) -> NumberedWords:
    """Return the ids of the tokens that `words` returns for each text. `ends` must use the punkt model of `words`."""
    chunks, rows, joined = _Chunks(ends), _Rows(words), WordsJoined()
    for block in blocks(texts):
        numbers, sizes = chunks.of(block)
        positions, odd = chunks.positions(numbers, sizes)
        keys, counts = _with_odd_texts_whole(numbers * np.int64(_POSITIONS) + positions, sizes, odd)
        odd_texts = list(compress(block, odd))
        joined.add(rows.table, rows.of(keys, chunks.numbers.strings, odd_texts), counts)
    return joined.whole(rows.table)


def _with_odd_texts_whole(keys: Keys, sizes: Ints, odd: Bools) -> tuple[Keys, Ints]:
    """Replace all keys of a text that is tokenized alone by one negative key: -1 for the first such text, then -2, …

    `keys` has the keys of all texts, one per chunk. `sizes` has the number of keys of each text, and `odd` is True for
    a text that is tokenized alone (both of shape [texts]). Return the new keys and sizes.
    """
    starts = np.cumsum(sizes) - sizes
    keys[starts[odd]] = -1 - np.arange(np.count_nonzero(odd))
    is_kept = ~np.repeat(odd, sizes)
    is_kept[starts] = True
    return keys[is_kept], np.where(odd, 1, sizes).astype(np.int32)


class _Chunks:
    """Numbered chunks, with a cache of whether a sentence ends after each chunk."""

    def __init__(self, ends: SentenceEnds) -> None:
        self.numbers = Numbers()
        self._ends = ends
        self._after = array("b")
        self._between: dict[tuple[str, str], bool] = {}

    def of(self, block: Sequence[str]) -> tuple[Ints, Ints]:
        """Return the chunk numbers of all texts in `block`, in order, and the chunk count of each text (at least 1)."""
        known = len(self.numbers)
        result = chunk_numbers([text.split(" ") for text in block], self.numbers)
        self._after.extend(map(self._ends.after, self.numbers.strings[known:]))
        return result

    def positions(self, numbers: Ints, sizes: Ints) -> tuple[Ints, Bools]:
        """Return the position of each chunk in its sentence, and whether each text is odd.

        Positions in odd texts are invalid.
        """
        after = np.array(self._after)[numbers]
        starts, last = np.cumsum(sizes) - sizes, np.zeros(len(numbers), np.bool_)
        last[np.cumsum(sizes) - 1] = True
        ask = np.flatnonzero((after & ASK).astype(np.bool_) & ~last)
        last |= (after & ALWAYS).astype(np.bool_)
        last[ask] = self._ask(numbers[ask], numbers[ask + 1])
        first = np.empty_like(last)
        first[0], first[1:] = True, last[:-1]
        begun = first.copy()
        begun[starts] = False
        moved = (after & CLOSER).astype(np.bool_) & (begun | (last & ~first))
        odd = np.logical_or.reduceat(moved | (after & ODD).astype(np.bool_), starts)
        return (_FIRST * first + _LAST * last).astype(np.int32), odd

    def _ask(self, numbers: Ints, following: Ints) -> list[bool]:
        strings = self.numbers.strings
        return [self._between_chunks(strings[one], strings[other])
                for one, other in zip(numbers.tolist(), following.tolist(), strict=True)]  # fmt: skip

    def _between_chunks(self, chunk: str, following: str) -> bool:
        pair = (chunk, following)
        if pair not in self._between:
            self._between[pair] = self._ends.between(chunk, following)
        return self._between[pair]


class _Rows:
    """Map from keys to rows of the word table. The key of a chunk is 4 * chunk number + position in the sentence."""

    def __init__(self, words: RememberedWords) -> None:
        self.table = WordTable()
        self._words = words
        self._at_position = (words.middle, words.first, words.last, words.alone)
        self._row = np.zeros(0, np.int32)

    def of(self, keys: Keys, strings: Sequence[str], odd: Sequence[str]) -> Ints:
        """Return the row number in the table for each key.

        `strings` lists the chunks by number. `odd` lists the texts that are tokenized one by one: key -1 is the first
        of them, -2 the second.
        """
        new = np.full(len(strings) * _POSITIONS - len(self._row), -1, np.int32)
        self._row = np.concatenate([self._row, new])
        rows = np.concatenate([self._row, np.full(len(odd), -1, np.int32)])
        fresh = list(dict.fromkeys(keys[rows[keys] < 0].tolist()))
        placed = [(strings[key // _POSITIONS], key % _POSITIONS) for key in fresh if key >= 0]
        self._words.middle.prepare([without_stop(chunk) if position == _LAST else chunk
                                    for chunk, position in placed if position != _ALONE])  # fmt: skip
        first = self.table.rows
        self.table.add([self._cut(key, strings, odd) for key in fresh])
        rows[fresh] = np.arange(first, self.table.rows, dtype=np.int32)
        self._row = rows[: len(self._row)]
        return rows[keys]

    def _cut(self, key: int, strings: Sequence[str], odd: Sequence[str]) -> Sequence[str]:
        if key < 0:
            return self._words(odd[-1 - key])
        return self._at_position[key % _POSITIONS][strings[key // _POSITIONS]]
