"""Foreign names in a question: a capitalized word or a number that neither its claim nor its passage names.

Words are compared without case, possessive and plural. `Nigerian` counts as `Nigeria`, `U.S.` as `US`, initials as the
words that they abbreviate. Numbers are compared by value.

Limitations: looks at single words; a first name of one person with a last name of another passes. Knows no synonyms:
`American` is foreign if the sources say `US`. Names in lower case and the first word are not checked, except a first
word that begins a name of several words.
"""

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple
from urllib.parse import unquote

from src.canonical_url import site
from src.quantities import Quantity, is_told, quantities
from src.reranking.questions.openers import OPENERS

SHORTEST = 4  # letters of a word that may be a part of a site's name, or have an ending removed
_COURTESY = {"dr", "mr", "mrs", "ms"}
_DOTTED = re.compile(r"\b(?:[^\W\d_]\.){2,}|\b[^\W\d_](?:\.[^\W\d_])+\b")
_WORD = re.compile(r"[^\W_]+")
_POSSESSIVE = re.compile(r"['\u2019]s\b")
_OF_PLACES = ("n", "an", "ian", "ean", "ese", "i")  # Kenyan, Mexican, Canadian, European, Chinese, Iraqi


class Named(NamedTuple):
    """Names that a question may use.

    `words` are without case; `acronyms` are words of capitals only. `initials` has the first letters of capitalized
    words and a space for each other word. `site` is the name of the page's site, letters and digits only.
    """

    words: frozenset[str]
    acronyms: frozenset[str]
    initials: str
    numbers: list[Quantity]
    site: str


def named_in(claim: str, passage: str, url: str) -> Named:
    """Return what the claim, the passage and the page's URL name. The URL may be empty."""
    address = unquote(url)
    texts = [_undotted(claim), _undotted(passage), address]
    words = [word for text in texts for word in _WORD.findall(text)]
    initials = "".join(word[0] if word[0].isupper() else " " for word in words)
    numbers = [number for text in texts for number in quantities(re.sub(r"[-/_]", " ", text))]
    known = frozenset(form for word in words for form in _forms(word.casefold()))
    acronyms = frozenset(word for word in words if word.isupper() and len(word) > 1)
    return Named(known, acronyms, initials, numbers, "".join(_WORD.findall(site(url))).casefold() if url else "")


def foreign_name(question: str, named: Named) -> str | None:
    """Return the first name or number of the question that `named` lacks, or None."""
    text = _undotted(_POSSESSIVE.sub("", question))
    for number in quantities(text):
        if any(map(str.isdigit, number.text)):
            if not is_told(number, named.numbers):
                return number.text
            text = text.replace(number.text, " ")
    names = list(_names(text))
    spelled = "".join(name[0] for name in names)
    for at, name in enumerate(names):
        if not _is_known(name, named) and not _stands_for(spelled, at, named.acronyms):
            return name
    return None


def _undotted(text: str) -> str:
    """Return the text with abbreviations such as `U.S.` written as `US`."""
    return _DOTTED.sub(lambda found: found[0].replace(".", ""), text)


def _names(text: str) -> Iterator[str]:
    """Yield the capitalized words, and those of digits and letters (`1990s`)."""
    words = _WORD.findall(text)
    for at, word in enumerate(words):
        if word.isdigit() or not (word[0].isdigit() or any(map(str.isupper, word))):
            continue
        if at == 0 and not _begins_name(words):
            continue
        if word != "I" and word.casefold() not in _COURTESY:
            yield word


def _begins_name(words: list[str]) -> bool:
    return words[0].casefold() not in OPENERS and len(words) > 1 and words[1][0].isupper()


def _is_known(name: str, named: Named) -> bool:
    word = name.casefold()
    if any(form in named.words for form in _forms(word)) or re.fullmatch(r"\d+(?:st|nd|rd|th)", word):
        return True  # an ordinal was compared by its value
    if len(word) >= SHORTEST and word in named.site:
        return True
    return name.isupper() and len(name) > 1 and name in named.initials


def _stands_for(spelled: str, at: int, acronyms: Collection[str]) -> bool:
    """Return True if the name is one of several whose initials are known: `United States` for `US`."""
    return any(
        first + size > at and first + size <= len(spelled) and spelled[first : first + size] in acronyms
        for size in (2, 3, 4)
        for first in range(max(0, at - size + 1), at + 1)
    )


def _forms(word: str) -> set[str]:
    """Return the word, the word without a plural ending, and the places that its inhabitants are named after."""
    found = {word}
    for ending in ("s", "es"):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            found.add(word.removesuffix(ending))
    if word.endswith("ies"):
        found.add(f"{word[:-3]}y")
    for form in list(found):
        found |= {form.removesuffix(ending) for ending in _OF_PLACES if form.endswith(ending)}
        found |= {form[:-1]} if form[-1] in "aeoy" else set()  # China and Chinese
    return {form for form in found if form == word or len(form) >= SHORTEST or word == f"{form}s"}
