"""NLTK's words, twice as fast: each chunk between two spaces is tokenized once and cached.

NLTK cuts a text into sentences with punkt, and each sentence with twenty regular expressions. None of these looks
further than one space beyond a chunk. What they do to it depends only on its place: first, in the middle or last in its
sentence. The words of a sentence are thus those of its chunks, cached for each of the three places.

Limitations: some texts go to NLTK as a whole. These are a chunk alone, white space other than single spaces, and a last
chunk of closing brackets and quotes only, before which a full stop may still end the sentence. Many texts at once are
handled by `bulk_words.py`.
"""

import re
from collections.abc import Callable, Sequence
from itertools import chain

REMEMBERED = 100_000  # chunks of each place; then the cache is cleared
TOGETHER = 1_000  # chunks that are tokenized in one call of NLTK

_LETTERS = r"[0-9A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u00ff]+"
_WORD = re.compile(rf"({_LETTERS}(?:(?:-|[.,](?=[0-9])){_LETTERS})*)([,;:?!.]?)")  # needs no more tokenization
_PARTS = re.compile(r"[-.,]")
_CONTRACTIONS = {"cannot", "gimme", "gonna", "gotta", "lemme", "wanna"}
_CLOSERS = re.compile(r"""[\]\)}>"'»\u201d\u2019]*""")
_QUOTES = "\"'`"  # at the beginning of a sentence these mean something else than within
_MARK_AT_END = re.compile(r"""[.:,'][\]\)}>"'»\u201d\u2019]*\Z""")
_SEVERAL = re.compile(r"""[.?!](?:[)";}\]*:@'({\[?!]|\s+\S)|\A\s|\s\Z""")  # without a match, the text is one sentence
_BETWEEN = "\ue000"  # a private-use character, which NLTK keeps as one word

Cut = Callable[[str], list[str]]


class RememberedWords:
    """Tokenizer `RememberedWords(sentences, words)(text)`, from `sent_tokenize` and the `tokenize` of one sentence.

    `first`, `middle`, `last` and `alone` are caches of the words of chunks at these places of a sentence.
    """

    def __init__(self, sentences: Cut, words: Cut) -> None:
        self._sentences = sentences
        self._words = words
        self.middle = _Middle(words)
        self.first = _First(words, self.middle)
        self.last = _Last(words, self.middle)
        self.alone = _Alone(words)

    def __call__(self, text: str) -> list[str]:
        if not _SEVERAL.search(text):
            return self._of_sentence(text)
        return list(chain.from_iterable(map(self._of_sentence, self._sentences(text))))

    def _of_sentence(self, sentence: str) -> list[str]:
        chunks = sentence.split()
        if " ".join(chunks) != sentence or not chunks:
            return self._words(sentence)
        if len(chunks) == 1:
            return list(self.alone[sentence])
        if _CLOSERS.fullmatch(chunks[-1]):
            return self._words(sentence)
        middle = chain.from_iterable(map(self.middle.__getitem__, chunks[1:-1]))
        return [*self.first[chunks[0]], *middle, *self.last[chunks[-1]]]


class _Middle(dict[str, Sequence[str]]):
    """Words of chunks with a neighbor on both sides."""

    def __init__(self, words: Cut) -> None:
        self._words = words

    def __missing__(self, chunk: str) -> Sequence[str]:
        if len(self) >= REMEMBERED:
            self.clear()
        self[chunk] = cut = _simple(chunk, inside=True) or tuple(self._words(f"x {chunk} x")[1:-1])
        return cut

    def prepare(self, chunks: Sequence[str]) -> None:
        """Tokenize all chunks; those that need NLTK are put into one sentence, up to `TOGETHER` at a time."""
        if len(self) + len(chunks) > REMEMBERED:
            self.clear()
        new = []
        for chunk in chunks:
            if chunk not in self:
                simple = _simple(chunk, inside=True)
                if simple:
                    self[chunk] = simple
                else:
                    new.append(chunk)
        for start in range(0, len(new), TOGETHER):
            some = new[start : start + TOGETHER]
            parts = _split(self._words(f" {_BETWEEN} ".join(["x", *some, "x"])))
            if len(parts) == len(some) + 2:
                self.update(zip(some, parts[1:-1], strict=True))


def _split(words: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the words between the separators."""
    parts, start = [], 0
    for end in [place for place, word in enumerate(words) if word == _BETWEEN] + [len(words)]:
        parts.append(tuple(words[start:end]))
        start = end + 1
    return parts


class _First(dict[str, Sequence[str]]):
    """Words of chunks that begin a sentence: as in the middle, unless the chunk begins with a quote."""

    def __init__(self, words: Cut, middle: _Middle) -> None:
        self._words, self._middle = words, middle

    def __missing__(self, chunk: str) -> Sequence[str]:
        if chunk[0] not in _QUOTES:
            return self._middle[chunk]
        if len(self) >= REMEMBERED:
            self.clear()
        self[chunk] = cut = tuple(self._words(f"{chunk} x")[:-1])
        return cut


class _Last(dict[str, Sequence[str]]):
    """Words of chunks that end a sentence: as in the middle, unless they end in a mark (and brackets or quotes)."""

    def __init__(self, words: Cut, middle: _Middle) -> None:
        self._words, self._middle = words, middle

    def __missing__(self, chunk: str) -> Sequence[str]:
        if not _MARK_AT_END.search(chunk):
            return self._middle[chunk]
        if len(self) >= REMEMBERED:
            self.clear()
        self[chunk] = cut = self._cut(chunk)
        return cut

    def _cut(self, chunk: str) -> Sequence[str]:
        rest = without_stop(chunk)
        if rest != chunk:
            return (*self._middle[rest], ".")
        return _simple(chunk, inside=False) or tuple(self._words(f"x {chunk}")[1:])


def without_stop(chunk: str) -> str:
    """Remove the final full stop of a sentence's last chunk if it follows a letter or digit: NLTK makes it a word."""
    return chunk[:-1] if chunk[-1] == "." and chunk[-2:-1].isalnum() else chunk


class _Alone(dict[str, Sequence[str]]):
    """Words of chunks that are a whole sentence."""

    def __init__(self, words: Cut) -> None:
        self._words = words

    def __missing__(self, chunk: str) -> Sequence[str]:
        if len(self) >= REMEMBERED:
            self.clear()
        self[chunk] = cut = _simple(chunk, inside=False) or tuple(self._words(chunk))
        return cut


def _simple(chunk: str, *, inside: bool) -> Sequence[str]:
    """Return the words of a chunk that is one word or number with at most one mark after it; () for other chunks.

    A full stop is a word of its own only at the end of a sentence, not `inside` it.
    """
    found = _WORD.fullmatch(chunk)
    if not found or not _CONTRACTIONS.isdisjoint(_PARTS.split(found[1].lower())):
        return ()
    inside = not found[2] or (found[2] == "." and inside)
    return (chunk,) if inside else (found[1], found[2])
