"""NLTK tokenizer with a cache: the tokens of NLTK, twice as fast.

NLTK splits a text into sentences with punkt, and a sentence into tokens ("words") with twenty regular expressions. None
of them looks further than one space beyond a chunk, the text between two spaces. The words of a chunk therefore depend
only on the chunk and its position in the sentence: first, middle or last. They are cached for each position.

Limitations: some sentences are tokenized as a whole by NLTK. They contain white space other than single spaces, or end
in a chunk of closing brackets and quotes, before which a full stop may still end the sentence. Many texts at once are
tokenized faster by `bulk_words.py`.
"""

import re
from collections.abc import Callable, Sequence
from itertools import chain

REMEMBERED = 100_000  # chunks in each cache; a full cache is cleared
TOGETHER = 1_000  # chunks tokenized in one call of NLTK

_LETTERS = r"[0-9A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u00ff]+"
_WORD = re.compile(rf"({_LETTERS}(?:(?:-|[.,](?=[0-9])){_LETTERS})*)([,;:?!.]?)")  # a word or number as a whole
_PARTS = re.compile(r"[-.,]")
_CONTRACTIONS = {"cannot", "gimme", "gonna", "gotta", "lemme", "wanna"}
_CLOSERS = re.compile(r"""[\]\)}>"'»\u201d\u2019]*""")
_QUOTES = "\"'`"  # tokenized differently at the beginning of a sentence
_MARK_AT_END = re.compile(r"""[.:,'][\]\)}>"'»\u201d\u2019]*\Z""")
_SEVERAL = re.compile(r"""[.?!](?:[)";}\]*:@'({\[?!]|\s+\S)|\A\s|\s\Z""")  # without a match, the text is one sentence
_BETWEEN = "\ue000"  # a private-use character, which NLTK keeps as one word

Cut = Callable[[str], list[str]]


class RememberedWords:
    """Tokenizer with caches: `RememberedWords(sentences, words)(text)` returns the words of a text.

    `sentences` splits a text into sentences, `words` a sentence into words. The attributes `first`, `middle`, `last`
    and `alone` are caches: the words of each chunk at this position of a sentence.
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
    """Cache of the words of chunks in the middle of a sentence."""

    def __init__(self, words: Cut) -> None:
        self._words = words

    def __missing__(self, chunk: str) -> Sequence[str]:
        if len(self) >= REMEMBERED:
            self.clear()
        self[chunk] = cut = _simple(chunk, inside=True) or tuple(self._words(f"x {chunk} x")[1:-1])
        return cut

    def prepare(self, chunks: Sequence[str]) -> None:
        """Tokenize all chunks and cache their words.

        Up to `TOGETHER` of the chunks that need NLTK are tokenized at once, as one sentence.
        """
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
    """Return the words of each chunk: the words between two separators (`_BETWEEN`)."""
    parts, start = [], 0
    for end in [index for index, word in enumerate(words) if word == _BETWEEN] + [len(words)]:
        parts.append(tuple(words[start:end]))
        start = end + 1
    return parts


class _First(dict[str, Sequence[str]]):
    """Cache of the words of chunks that begin a sentence. Those that begin with no quote are looked up in `middle`."""

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
    """Cache of the words of chunks that end a sentence. Those without final punctuation are looked up in `middle`."""

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
    """Return a sentence's last chunk without a full stop after a letter or digit, which NLTK makes a separate word."""
    return chunk[:-1] if chunk[-1] == "." and chunk[-2:-1].isalnum() else chunk


class _Alone(dict[str, Sequence[str]]):
    """Cache of the words of chunks that are a whole sentence."""

    def __init__(self, words: Cut) -> None:
        self._words = words

    def __missing__(self, chunk: str) -> Sequence[str]:
        if len(self) >= REMEMBERED:
            self.clear()
        self[chunk] = cut = _simple(chunk, inside=False) or tuple(self._words(chunk))
        return cut


def _simple(chunk: str, *, inside: bool) -> Sequence[str]:
    """Return the words of a chunk that is a word or number, with at most one punctuation mark; () for other chunks.

    A full stop is a separate word only at the end of a sentence, not `inside` it.
    """
    match = _WORD.fullmatch(chunk)
    if not match or not _CONTRACTIONS.isdisjoint(_PARTS.split(match[1].lower())):
        return ()
    inside = not match[2] or (match[2] == "." and inside)
    return (chunk,) if inside else (match[1], match[2])
