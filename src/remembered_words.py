"""NLTK's words at several times its speed: each chunk between two spaces is cut once and remembered.

NLTK cuts a text into sentences with punkt, and each sentence with twenty regular expressions. None of these looks
further than one space beyond a chunk, and what they do to it depends only on whether it stands first, in the middle or
last in its sentence. So the words of a sentence are those of its chunks, remembered for each of the three places.

But: what does not fit is given to NLTK as a whole: one chunk alone, white space other than single spaces, a last chunk
of nothing but closing brackets and quotes, before which a full stop may still end the sentence.
"""

import re
from collections.abc import Callable
from itertools import chain

REMEMBERED = 300_000  # chunks of each place; then forgotten all at once

_WORD = re.compile(r"([0-9A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u00ff]+)([,;:?!.]?)")  # needs no more cutting
_CONTRACTIONS = {"cannot", "gimme", "gonna", "gotta", "lemme", "wanna"}
_CLOSERS = re.compile(r"""[\]\)}>"'»\u201d\u2019]*""")
_SEVERAL = re.compile(r"[.?!](?!\Z)|\A\s|\s\Z")  # without, the text is one sentence as it stands

Cut = Callable[[str], list[str]]


class RememberedWords:
    """`RememberedWords(sentences, words)(text)`: NLTK's `sent_tokenize`, and its `tokenize` of one sentence."""

    def __init__(self, sentences: Cut, words: Cut) -> None:
        self._sentences = sentences
        self._words = words
        self._first = _Chunks(words, "", " x")
        self._middle = _Chunks(words, "x ", " x")
        self._last = _Chunks(words, "x ", "")

    def __call__(self, text: str) -> list[str]:
        if not _SEVERAL.search(text):
            return self._of_sentence(text)
        return list(chain.from_iterable(map(self._of_sentence, self._sentences(text))))

    def _of_sentence(self, sentence: str) -> list[str]:
        chunks = sentence.split()
        if len(chunks) < 2 or " ".join(chunks) != sentence or _CLOSERS.fullmatch(chunks[-1]):
            return self._words(sentence)
        middle = chain.from_iterable(map(self._middle.__getitem__, chunks[1:-1]))
        return [*self._first[chunks[0]], *middle, *self._last[chunks[-1]]]


class _Chunks(dict[str, tuple[str, ...]]):
    """Words of chunks at one place of a sentence, cut with a neighbour on the sides where one stands."""

    def __init__(self, words: Cut, before: str, after: str) -> None:
        self._words, self._before, self._after = words, before, after

    def __missing__(self, chunk: str) -> tuple[str, ...]:
        if len(self) >= REMEMBERED:
            self.clear()
        self[chunk] = cut = self._cut(chunk)
        return cut

    def _cut(self, chunk: str) -> tuple[str, ...]:
        simple = _WORD.fullmatch(chunk)
        if simple and simple[1].lower() not in _CONTRACTIONS:
            inside = not simple[2] or (simple[2] == "." and self._after)
            return (chunk,) if inside else (simple[1], simple[2])
        words = self._words(f"{self._before}{chunk}{self._after}")
        return tuple(words[bool(self._before) : len(words) - bool(self._after)])
