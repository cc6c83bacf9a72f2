"""Our own words of a text, for looking things up: lower case, stemmed, without the most frequent English words.

Numbers keep their separators and decimals (`1,500` is `1500`, `3.5` stays), names and hashtags stay whole apart from
their stems. (Porter's Snowball stemmer for English.)

But: for finding only; published scores rest on `src/text.py`.
"""

import re
from functools import cache, lru_cache
from typing import Protocol

from src.text import stop_words

_WORD = re.compile(r"\d+(?:[.,:]\d+)+|[^\W_]+")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_APOSTROPHES = str.maketrans("", "", "'\u2019")


def own_words(text: str) -> list[str]:
    """The words of a text, in its order."""
    return [word for chunk in text.split() for word in _remembered(chunk)]


@lru_cache(1 << 16)
def _remembered(chunk: str) -> tuple[str, ...]:
    return cut(chunk)


def cut(chunk: str) -> tuple[str, ...]:
    """The words of a chunk that holds no white space."""
    found = _WORD.findall(chunk.translate(_APOSTROPHES).lower())
    kept = [_number(word) for word in found if word not in _stop_words()]
    return tuple(_stemmer().stemWords(kept))


def _number(word: str) -> str:
    return word.replace(",", "") if _THOUSANDS.fullmatch(word) else word


@cache
def _stop_words() -> frozenset[str]:
    return frozenset(word.translate(_APOSTROPHES) for word in stop_words())


class _Stemmer(Protocol):
    def stemWords(self, words: list[str]) -> list[str]: ...  # noqa: N802 - its name


@cache
def _stemmer() -> _Stemmer:
    import Stemmer

    stemmer: _Stemmer = Stemmer.Stemmer("english")
    return stemmer
