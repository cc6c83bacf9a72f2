"""Shorter queries for engines that want every word on a page, such as those of Wikipedia and GDELT.

Limitations: names are recognized by their capital letter, so the first word of a sentence may count as one.
"""

import re

_WORD = re.compile(r"[^\W_]+(?:[-'.][^\W_]+)*")


def telling_words(text: str, most: int, shortest: int = 2) -> list[str]:
    """Return at most `most` words of a text, in its order: first names and numbers, then the longest others.

    `shortest`: fewest characters of a word.
    """
    words = list(dict.fromkeys(word for word in _WORD.findall(text) if len(word) >= shortest))
    by_worth = sorted(words, key=lambda word: (not _is_name(word), -len(word)))
    chosen = set(by_worth[:most])
    return [word for word in words if word in chosen]


def _is_name(word: str) -> bool:
    return word[0].isupper() or word[0].isdigit()
