"""Soundness check of generated questions: form, grammar and names.

Trivial faults are repaired first (`repaired`). Any other fault is a reason to take another question.

A foreign name is a capitalized word or a number that neither the claim nor the passage names. Words are compared
without case, possessive and plural. `Nigerian` counts as `Nigeria`, `U.S.` as `US`, initials as the words that they
abbreviate. Numbers are compared by value.

Limitations: does not check if the passage answers the question. Single words are compared, so a first name of one
person with a last name of another passes. Synonyms are not known: `American` is foreign if the sources say `US`.
"""

import re
from collections.abc import Collection, Iterator
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple
from urllib.parse import unquote

from src.canonical_url import site
from src.quantities import Quantity, is_given, quantities
from src.reranking.questions.grammar import OPENERS, is_grammatical_question

SHORTEST = 4  # letters of a word that may be a part of a site's name, or have an ending removed
_COURTESY = {"dr", "mr", "mrs", "ms"}
_DOTTED = re.compile(r"\b(?:[^\W\d_]\.){2,}|\b[^\W\d_](?:\.[^\W\d_])+\b")
_WORD = re.compile(r"[^\W_]+")
_POSSESSIVE = re.compile(r"['\u2019]s\b")
_OF_PLACES = ("n", "an", "ian", "ean", "ese", "i")  # Kenyan, Mexican, Canadian, European, Chinese, Iraqi


class Named(NamedTuple):
    """Names that a question may use, because the claim, the passage or the URL contains them.

    `words`: all words, without case.
    `acronyms`: words of capitals only.
    `initials`: the first letter of each capitalized word, and a space for each other word.
    `numbers`: all numbers.
    `site`: the name of the page's site, letters and digits only.
    """

    words: frozenset[str]
    acronyms: frozenset[str]
    initials: str
    numbers: list[Quantity]
    site: str


def named_in(claim: str, passage: str, url: str) -> Named:
    """Return the names in the claim, the passage and the page's URL. The URL may be empty."""
    address = unquote(url)
    texts = [_undotted(claim), _undotted(passage), address]
    words = [word for text in texts for word in _WORD.findall(text)]
    initials = "".join(word[0] if word[0].isupper() else " " for word in words)
    numbers = [number for text in texts for number in quantities(re.sub(r"[-/_]", " ", text))]
    known = frozenset(form for word in words for form in _forms(word.casefold()))
    acronyms = frozenset(word for word in words if word.isupper() and len(word) > 1)
    return Named(known, acronyms, initials, numbers, "".join(_WORD.findall(site(url))).casefold() if url else "")


def foreign_name(question: str, named: Named) -> str | None:
    """Return the first name or number of the question that is not in `named`; None if all are."""
    text = _undotted(_POSSESSIVE.sub("", question))
    for number in quantities(text):
        if any(map(str.isdigit, number.text)):
            if not is_given(number, named.numbers):
                return number.text
            text = text.replace(number.text, " ")
    names = list(_names(text))
    spelled = "".join(name[0] for name in names)
    for at, name in enumerate(names):
        if not _is_known(name, named) and not _matches_acronym(spelled, at, named.acronyms):
            return name
    return None


def _undotted(text: str) -> str:
    """Return the text with abbreviations such as `U.S.` written as `US`."""
    return _DOTTED.sub(lambda match: match[0].replace(".", ""), text)


def _names(text: str) -> Iterator[str]:
    """Yield the capitalized words of a text, and those of digits and letters (`1990s`)."""
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


def _matches_acronym(spelled: str, at: int, acronyms: Collection[str]) -> bool:
    """Return True if the name at index `at` is part of a name with a known acronym: `United States` for `US`.

    `spelled` has the initials of all names of the question, in order.
    """
    return any(
        first + size > at and first + size <= len(spelled) and spelled[first : first + size] in acronyms
        for size in (2, 3, 4)
        for first in range(max(0, at - size + 1), at + 1)
    )


def _forms(word: str) -> set[str]:
    """Return the forms under which a word is known.

    They are the word, the word without a plural ending, and the place that its inhabitants are named after.
    """
    forms = {word}
    for ending in ("s", "es"):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            forms.add(word.removesuffix(ending))
    if word.endswith("ies"):
        forms.add(f"{word[:-3]}y")
    for form in list(forms):
        forms |= {form.removesuffix(ending) for ending in _OF_PLACES if form.endswith(ending)}
        forms |= {form[:-1]} if form[-1] in "aeoy" else set()  # China and Chinese
    return {form for form in forms if form == word or len(form) >= SHORTEST or word == f"{form}s"}


GRAM = 3  # no sequence of this many words occurs twice
_DOTTED_END = re.compile(r"((?:[^\W\d_]\.){2,})\?$")
_DOT_END = re.compile(r"[\s.]+\?$")
_OPENING = re.compile(r"""[^\W\d_]|["“\u2018'][^\W\d_]""")
_SOUND_END = re.compile(r"[^\s.?!,;:]\?")
_UNFINISHED = frozenset(  # words that must be followed by something
    {
        *("a", "an", "the", "every", "my", "our", "your", "their", "its"),
        *("and", "or", "but", "nor", "than", "because", "if", "whether", "although"),
    }
)
_PAIRS = (("(", ")"), ("[", "]"), ("{", "}"), ("“", "”"))
_DOUBLED = frozenset({"had", "that"})
_JOINED_TWICE = re.compile(r"\b(\w+) (?:and|or) \1\b")
_OF_TASK = re.compile(
    r"\b(?:in|from|by|according to) (?:the|this) (?:claim|statement|passage|sentence|question|answer)\b", re.IGNORECASE
)
_ABOUT_TASK = tuple(  # asks what the claim or passage itself is or says, or whether it is true
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:is|was) (?:the|this) (claim|passage)(?: about| true| false| correct| accurate)?\?",
        r"\b(?:does|did) (?:the|this) (claim) (?:describe|imply|mean|mention|refer|say|state|suggest)\b",
        r"\b(?:the|this) (claim) (?:is referring|refers) to\b",
        r"\b(?:the|this) (passage)\b(?! (?:between|from|of|through|to)\b)",
    )
)
_IDIOMS = frozenset(["again", "less", "more", "on", "over"])


class Fault(StrEnum):
    """Reason why a question is not sound; in the order of the checks."""

    LOWER_CASE = "begins in lower case"
    ENDING = "ends wrongly"
    UNBALANCED = "a quotation mark or bracket has no partner"
    REPEATED = "says the same words twice"
    OF_TASK = "speaks of the claim or passage as such"
    FOREIGN = "names what neither claim nor passage names"
    GRAMMAR = "is no grammatical question"


def repaired(question: str) -> str:
    """Return the question with a capital first letter, single spaces and no period before its question mark."""
    text = " ".join(question.split())
    text = _DOTTED_END.sub(lambda match: match[1].replace(".", "") + "?", text)
    text = _DOT_END.sub("?", text)
    opening = _OPENING.match(text)
    return text[: opening.end()].upper() + text[opening.end() :] if opening else text


def fault(question: str, claim: str, passage: str, url: str = "") -> Fault | None:
    """Return the first fault of the question, or None if it is sound.

    Raises MissingExtra when the parser is missing.
    """
    return next(faults(question, claim, passage, url), None)


def faults(question: str, claim: str, passage: str, url: str = "") -> Iterator[Fault]:
    """Yield the faults of the question, cheap checks first. `url` may be empty.

    Raises MissingExtra when the parser is missing.
    """
    if _begins_small(question):
        yield Fault.LOWER_CASE
    if not _ends_well(question):
        yield Fault.ENDING
    if not _is_balanced(question):
        yield Fault.UNBALANCED
    if _repeats(question, f"{claim}\n{passage}"):
        yield Fault.REPEATED
    if _speaks_of_task(question, f"{claim}\n{passage}"):
        yield Fault.OF_TASK
    if foreign_name(question, named_in(claim, passage, url)) is not None:
        yield Fault.FOREIGN
    if not is_grammatical_question(question):
        yield Fault.GRAMMAR


def _begins_small(question: str) -> bool:
    letter = question.lstrip("\"“\u2018'(")[:1]
    return not (letter.isupper() or letter.isdigit() or (letter.isalpha() and not letter.islower()))


def _ends_well(question: str) -> bool:
    words = re.findall(r"[\w'\u2019]+", question.casefold())
    return bool(words) and _SOUND_END.fullmatch(question[-2:]) is not None and words[-1] not in _UNFINISHED


def _is_balanced(question: str) -> bool:
    """Return True if each opening quotation mark and bracket is closed in turn.

    Single quotes are ignored, because most are apostrophes.
    """
    return question.count('"') % 2 == 0 and all(_closes(question, *pair) for pair in _PAIRS)


def _closes(text: str, opening: str, closing: str) -> bool:
    """Return True if each opening mark in the text is followed by its closing mark, and none is left over."""
    open_now = 0
    for character in text:
        open_now += (character == opening) - (character == closing)
        if open_now < 0:
            return False
    return open_now == 0


def _repeats(question: str, sources: str) -> bool:
    """Return True if words are repeated that claim and passage do not repeat (`Bora Bora`)."""
    text, known = _plain(question), _plain(sources)
    words = text.split()
    doubled = [one for one, other in pairwise(words) if one == other and one not in _DOUBLED]
    if any(f"{word} {word}" not in known for word in doubled):
        return True
    if any(match[1] not in _IDIOMS and match[0] not in known for match in _JOINED_TWICE.finditer(text)):
        return True
    grams = [tuple(words[at : at + GRAM]) for at in range(len(words) - GRAM + 1)]
    return len(set(grams)) < len(grams)


def _speaks_of_task(question: str, sources: str) -> bool:
    """Return True if the question refers to `the claim` or `the passage`, and claim and passage (`sources`) do not."""
    if _OF_TASK.search(question) and not _OF_TASK.search(sources):
        return True
    known = set(_plain(sources).split())
    nouns = [match[1].casefold() for pattern in _ABOUT_TASK for match in pattern.finditer(question)]
    return any(known.isdisjoint([noun, f"{noun}s"]) for noun in nouns)


def _plain(text: str) -> str:
    return " ".join(re.findall(r"[\w'\u2019]+", text.casefold()))
