"""Names and numbers of a claim that no step of its program contains; a program that drops them checks another claim.

Limitations: names and numbers are found by capital letters and digits; initials are skipped. The first word of a
sentence counts as a name only if another one follows it. Other words are not compared, because steps may rephrase them.
"""

import re
from collections.abc import Iterable, Iterator

from src.text import stop_words

STEM = 4  # letters that the forms of a name share
_WORD = re.compile(r"\d+(?:,\d{3})+|[^\W_]+")
_OPENERS = {"neither", "either", "although", "though", "since", "unlike", "whereas", "despite", "according", "besides",
            "however", "later", "also", "additionally", "afterwards", "today"}  # fmt: skip
_ENDED = re.compile(r"(?:^|[.!?])\W*$")


def left_out(claim: str, texts: Iterable[str]) -> list[str]:
    """Return the names and numbers in no text, in the claim's order, each once; none for a claim in capital letters."""
    if claim.isupper():
        return []
    kept = {_stem(word) for text in texts for word in _WORD.findall(text)}
    return list(dict.fromkeys(word for word in _names(claim) if _stem(word) not in kept))


def _stem(word: str) -> str:
    """Return a stem, which is the same for "Sweden" and "Swedish", and for "1,000" and "1000"."""
    plain = word.casefold().replace(",", "")
    return plain if plain.isdigit() else plain[:STEM]


def _names(claim: str) -> Iterator[str]:
    found = list(_WORD.finditer(claim))
    for place, word in enumerate(found):
        if not _is_marked(word[0]) or len(word[0]) < 2 or word[0].casefold() in stop_words() | _OPENERS:
            continue
        begins = _ENDED.search(claim[: word.start()]) is not None and not _is_marked(word[0][1:])
        if not begins or (place + 1 < len(found) and _is_marked(found[place + 1][0])):
            yield word[0]


def _is_marked(word: str) -> bool:
    return any(letter.isupper() or letter.isdigit() for letter in word)
