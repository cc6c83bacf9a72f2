"""Paragraphs of a corpus whose titles occur in a text; on a page, these mentions would be links.

A title counts without a final part in brackets ("Cold (novel)" is named by "Cold"), in any case. A title of one word
must be written with a capital, and must not be a stop word ("It"). Of overlapping titles the longest is used. A
possessive ("Erebus's") and the parts of a compound ("Lund-based") name the titles they contain.

Limitations: misses other spellings of a name, titles of more than LONGEST words and titles of digits only. All pages
with one title are named together. Titles are distinguished by eight bytes of a hash.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from html import unescape
from pathlib import Path
from typing import Self

import numpy as np
import numpy.typing as npt

from src.array_cache import NotKept, keep, recall
from src.records import Paragraph
from src.text import stop_words

LONGEST = 12  # words of a title, signs among them
_LAYOUT = {"layout": "titles 2"}
_WORD = re.compile(r"\w+|[^\w\s]")


Hashes = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class Titles:
    """Searchable titles of a corpus.

    `hashes`: hash of each title [titles], in ascending order.
    `places`: index (from 0) of the paragraph with the title [titles].
    `openers`: hashes of the titles' first words [words], each once, in ascending order; no title begins with another
        word.
    """

    hashes: Hashes
    places: npt.NDArray[np.int64]
    openers: Hashes

    @classmethod
    def of(cls, paragraphs: Iterable[Paragraph]) -> Self:
        """Return the titles of the paragraphs, without those that no text can contain (such as one of signs only)."""
        keys = [_key(paragraph.title) for paragraph in paragraphs]
        places = np.array([place for place, key in enumerate(keys) if key], np.int64)
        hashes = np.array([_hash(key) for key in keys if key], np.uint64)
        openers = np.array(sorted({_hash(key.partition(" ")[0]) for key in keys if key}), np.uint64)
        order = np.argsort(hashes, kind="stable")
        return cls(hashes[order], places[order], openers)

    @classmethod
    def cached(cls, paragraphs: Iterable[Paragraph], path: Path, labels: Mapping[str, str]) -> Self:
        """Return the titles of the paragraphs, cached in the file `path` under `labels`.

        Raises OutputError when the file cannot be written.
        """
        labels = {**labels, **_LAYOUT}
        try:
            return cls(**recall(path, labels))
        except NotKept:
            made = cls.of(paragraphs)
            keep(path, {"hashes": made.hashes, "places": made.places, "openers": made.openers}, labels)
            return made

    def named(self, text: str) -> list[int]:
        """Return the indexes (from 0) of the paragraphs whose titles are in the text, in text order, each once."""
        words = _words(text)
        folded = [word.casefold() for word in words]
        positions: dict[int, None] = {}
        at = 0
        while at < len(words):
            for length, key in _runs(folded, at) if len(_span(self.openers, folded[at])) else ():
                if (length > 1 or _is_name(words[at])) and (places := self._places(key)):
                    positions.update(dict.fromkeys(places))
                    at += length - 1
                    break
            at += 1
        return list(positions)

    def _places(self, key: str) -> list[int]:
        return [int(self.places[at]) for at in _span(self.hashes, key)]


def _span(hashes: Hashes, key: str) -> range:
    """Return the range of indexes in `hashes` at which the hash of `key` is."""
    sought = np.uint64(_hash(key))
    return range(int(np.searchsorted(hashes, sought, "left")), int(np.searchsorted(hashes, sought, "right")))


def _runs(words: list[str], at: int) -> Iterator[tuple[int, str]]:
    """Yield the sequences of words that begin at index `at`, longest first: pairs of number of words and text."""
    for length in range(min(LONGEST, len(words) - at), 0, -1):
        yield length, " ".join(words[at : at + length])


def _key(title: str) -> str:
    """Return the lookup key of a title, or "" if a text cannot name it."""
    words = _words(_without_brackets(title.replace("_", " ")))
    is_name = any(word[0].isalpha() for word in words) if len(words) > 1 else all(map(_is_name, words))
    return " ".join(words).casefold() if is_name and len(words) <= LONGEST else ""


def _without_brackets(title: str) -> str:
    """Return the title without a final part in brackets; a regex would be slow for a title of many brackets."""
    bare = title.rstrip()
    opened = bare.rfind("(") if bare.endswith(")") else 0
    return bare[:opened] if opened > 0 else bare


def _is_name(word: str) -> bool:
    """Return True if a single word can name a page: it has a capital or its script has none, and it is no stop word."""
    return word[0].isalpha() and not word[0].islower() and word.casefold() not in stop_words()


def _words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFC", unescape(text)))


def _hash(key: str) -> int:
    return int.from_bytes(blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
