"""Which paragraphs of a corpus a text names by their titles: what would be links on a page.

A title counts without what stands in brackets behind it ("Cold (novel)" is named by "Cold"), in any case; a title of
one word only where it is written with a capital, and none that is a stop word ("It"). Of titles inside of each other
the longest is named. A possessive ("Erebus's") and the parts of a compound ("Lund-based") name what stands in them.

But: a name that a page spells otherwise is not found, nor a title of more than LONGEST words or of figures alone; all
pages of one title are named together. Titles are told apart by eight bytes of a hash.
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
    """`hashes` [titles] in rising order, `places` [titles] of the paragraphs that have them; `openers` [words] are the
    hashes of the words that a title begins with, each once, in rising order."""

    hashes: Hashes
    places: npt.NDArray[np.int64]
    openers: Hashes

    @classmethod
    def of(cls, paragraphs: Iterable[Paragraph]) -> Self:
        keys = [_key(one.title) for one in paragraphs]
        places = np.array([place for place, key in enumerate(keys) if key], np.int64)
        hashes = np.array([_hash(key) for key in keys if key], np.uint64)
        openers = np.array(sorted({_hash(key.partition(" ")[0]) for key in keys if key}), np.uint64)
        order = np.argsort(hashes, kind="stable")
        return cls(hashes[order], places[order], openers)

    @classmethod
    def kept(cls, paragraphs: Iterable[Paragraph], path: Path, labels: Mapping[str, str]) -> Self:
        """As `of`; recalled from the file where it has these labels, else made and kept there. Raises OutputError."""
        labels = {**labels, **_LAYOUT}
        try:
            return cls(**recall(path, labels))
        except NotKept:
            made = cls.of(paragraphs)
            keep(path, {"hashes": made.hashes, "places": made.places, "openers": made.openers}, labels)
            return made

    def named(self, text: str) -> list[int]:
        """The places of the paragraphs whose titles stand in the text, in its order, each once."""
        words = _words(text)
        folded = [word.casefold() for word in words]
        found: dict[int, None] = {}
        at = 0
        while at < len(words):
            for length, key in _runs(folded, at) if len(_span(self.openers, folded[at])) else ():
                if (length > 1 or _is_name(words[at])) and (places := self._places(key)):
                    found.update(dict.fromkeys(places))
                    at += length - 1
                    break
            at += 1
        return list(found)

    def _places(self, key: str) -> list[int]:
        return [int(self.places[at]) for at in _span(self.hashes, key)]


def _span(hashes: Hashes, key: str) -> range:
    """Where the key's hash stands."""
    sought = np.uint64(_hash(key))
    return range(int(np.searchsorted(hashes, sought, "left")), int(np.searchsorted(hashes, sought, "right")))


def _runs(words: list[str], at: int) -> Iterator[tuple[int, str]]:
    """What begins at a word, longest first, with its number of words."""
    for length in range(min(LONGEST, len(words) - at), 0, -1):
        yield length, " ".join(words[at : at + length])


def _key(title: str) -> str:
    """A title as it is looked up; "" where there is none that a text could name."""
    words = _words(_without_brackets(title.replace("_", " ")))
    is_name = any(word[0].isalpha() for word in words) if len(words) > 1 else all(map(_is_name, words))
    return " ".join(words).casefold() if is_name and len(words) <= LONGEST else ""


def _without_brackets(title: str) -> str:
    """Not by a pattern: one would take long for a title of many brackets."""
    bare = title.rstrip()
    opened = bare.rfind("(") if bare.endswith(")") else 0
    return bare[:opened] if opened > 0 else bare


def _is_name(word: str) -> bool:
    """Whether a word alone may name a page: it has a capital, or its script has none."""
    return word[0].isalpha() and not word[0].islower() and word.casefold() not in stop_words()


def _words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFC", unescape(text)))


def _hash(key: str) -> int:
    return int.from_bytes(blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
