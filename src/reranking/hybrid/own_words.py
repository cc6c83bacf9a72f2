"""Words of a text for retrieval: lower case, stemmed, without the most frequent English words.

Numbers keep their decimals and lose their separators (`1,500.5` is `1500.5`). Hashtags lose their `#`. `U.S.` and `US`
are one word. A word in capitals is a name: `WHO` is kept, `who` is not. The stemmer is Porter's Snowball stemmer for
English.

Limitations: for retrieval only. Published scores use the words of `src/text.py`.
"""

import re
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

import Stemmer

LONG = 64  # characters; longer chunks are seldom repeated and are not cached

_WORD = re.compile(r"\d+(?:[.,:]\d+)+|(?:[^\W\d_]\.){2,}|[^\W_]+")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_APOSTROPHES = str.maketrans("", "", "'\u2019")
_LIST = Path(__file__).with_name("stop_words.txt")
_STOP_WORDS = frozenset(_LIST.read_text(encoding="utf-8").split())
_STEMMER = Stemmer.Stemmer("english")

_RULES = sha256(Path(__file__).read_bytes() + _LIST.read_bytes()).hexdigest()
VERSION = f"own {_RULES[:16]}, PyStemmer {Stemmer.version()}"  # of indexes on disk


def own_words(text: str) -> list[str]:
    """Return the words of a text, in order."""
    return [word for chunk in text.split() for word in _words(chunk)]


def _words(chunk: str) -> tuple[str, ...]:
    return _remembered(chunk) if len(chunk) <= LONG else cut(chunk)


@lru_cache(1 << 16)
def _remembered(chunk: str) -> tuple[str, ...]:
    return cut(chunk)


def cut(chunk: str) -> tuple[str, ...]:
    """Return the words of a chunk, which is a text without white space."""
    found = map(_plain, _WORD.findall(chunk.translate(_APOSTROPHES)))
    kept = [word.lower() for word in found if word.lower() not in _STOP_WORDS or (word.isupper() and len(word) > 1)]
    return tuple(_STEMMER.stemWords(kept))


def _plain(word: str) -> str:
    """Return an abbreviation without its full stops, a number without its separators of thousands."""
    if word.endswith("."):
        return word.replace(".", "")
    return word.replace(",", "") if _THOUSANDS.fullmatch(word) else word
