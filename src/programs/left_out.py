"""Names and numbers of a claim that stand in no step of its program: a program that drops them checks another claim.

But: capital letters and digits tell names and numbers. The first word of a sentence counts as a name where another
follows it; other words may be put otherwise, so they are not looked for.
"""

import re
from collections.abc import Iterable, Iterator

from src.text import stop_words

_WORD = re.compile(r"[^\W_]+")
_OPENERS = {"neither", "either", "although", "though", "since", "unlike", "whereas", "despite", "according", "besides"}
_ENDED = re.compile(r"(?:^|[.!?])\W*$")


def left_out(claim: str, texts: Iterable[str]) -> list[str]:
    """In the claim's order, each once."""
    kept = {word for text in texts for word in _WORD.findall(text.casefold())}
    return list(dict.fromkeys(word for word in _names(claim) if word.casefold() not in kept))


def _names(claim: str) -> Iterator[str]:
    found = list(_WORD.finditer(claim))
    for place, word in enumerate(found):
        if not _is_marked(word[0]) or word[0].casefold() in stop_words() | _OPENERS:
            continue
        begins = _ENDED.search(claim[: word.start()]) is not None and not _is_marked(word[0][1:])
        if not begins or (place + 1 < len(found) and _is_marked(found[place + 1][0])):
            yield word[0]


def _is_marked(word: str) -> bool:
    return any(letter.isupper() or letter.isdigit() for letter in word)
