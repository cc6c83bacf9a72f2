"""Soundness of a question: is it fit for a reader, and if not, what is wrong with it.

Trivial faults are repaired first (`repaired`). Any other fault is a reason to take another question.

Limitations: checks form and names only, not whether the passage answers the question.
"""

import re
from collections.abc import Iterator
from enum import StrEnum
from itertools import pairwise

from src.reranking.questions.foreign import foreign_name, named_in
from src.reranking.questions.grammar import is_grammatical_question

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
    """Why a question is not sound, in the order of the checks."""

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
    text = _DOTTED_END.sub(lambda found: found[1].replace(".", "") + "?", text)
    text = _DOT_END.sub("?", text)
    opening = _OPENING.match(text)
    return text[: opening.end()].upper() + text[opening.end() :] if opening else text


def fault(question: str, claim: str, passage: str, url: str = "") -> Fault | None:
    """Return the first fault of the question, or None if it is sound. Raises MissingExtra without the parser."""
    return next(faults(question, claim, passage, url), None)


def faults(question: str, claim: str, passage: str, url: str = "") -> Iterator[Fault]:
    """Yield the faults of the question, cheap checks first. `url` may be empty. Raises MissingExtra as `fault` does."""
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
    """Return True if each opening mark is closed in turn. Single quotes are ignored: most are apostrophes."""
    return question.count('"') % 2 == 0 and all(_closes(question, *pair) for pair in _PAIRS)


def _closes(text: str, opening: str, closing: str) -> bool:
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
    if any(found[1] not in _IDIOMS and found[0] not in known for found in _JOINED_TWICE.finditer(text)):
        return True
    grams = [tuple(words[at : at + GRAM]) for at in range(len(words) - GRAM + 1)]
    return len(set(grams)) < len(grams)


def _speaks_of_task(question: str, sources: str) -> bool:
    """Return True if the question refers to `the claim` or `the passage` and the sources do not."""
    if _OF_TASK.search(question) and not _OF_TASK.search(sources):
        return True
    known = set(_plain(sources).split())
    nouns = [found[1].casefold() for pattern in _ABOUT_TASK for found in pattern.finditer(question)]
    return any(known.isdisjoint([noun, f"{noun}s"]) for noun in nouns)


def _plain(text: str) -> str:
    return " ".join(re.findall(r"[\w'\u2019]+", text.casefold()))
