"""Errors that misstate what the source says: its names, numbers and modifiers in wrong places."""

import re
from random import Random
from typing import TYPE_CHECKING

from src.explanation.synthetic_errors.mentions import NUMBER, YEAR, is_of_task, kin, names_of, numbers_of, value
from src.explanation.synthetic_errors.scene import Edit, Elsewhere, Scene
from src.explanation.synthetic_errors.word_lists import WordLists

if TYPE_CHECKING:
    from spacy.tokens import Token

_PART = re.compile(r"0\d")  # part of a number that was written with a space
_WEIGHTLESS = {"much", "many", "other", "such", "same", "certain", "more", "most", "several", "various", "last", "next"}


def entity(scene: Scene, others: Elsewhere, lists: WordLists, draw: Random) -> Edit | None:
    """Return an edit that replaces a name by another of the same kind, which the source has and the sentence
    does not.
    """
    of_source = {(name.label_, name.text) for name in names_of(scene.source)}
    places = [(at, name) for at, parse in enumerate(scene.parses) for name in names_of(parse)]
    for at, name in draw.sample(places, len(places)):
        here = {word.lower_ for word in scene.parses[at]}
        fitting = sorted(
            text for label, text in of_source
            if label == name.label_ and not kin(text) & kin(name.text)
            and not {word.lower() for word in text.split()} & here
        )  # fmt: skip
        if fitting:
            return Edit(at, name.start_char, name.end_char, draw.choice(fitting))
    return None


def number(scene: Scene, others: Elsewhere, lists: WordLists, draw: Random) -> Edit | None:
    """Return an edit that replaces a number by another one of the source: a year by a year, any other by any other."""
    of_source = {found[0] for found in NUMBER.finditer(scene.source.text)}
    places = [(at, found) for at, said in enumerate(scene.said) for found in numbers_of(said)]
    for at, found in draw.sample(places, len(places)):
        here = {value(one[0]) for one in NUMBER.finditer(scene.said[at])}
        fitting = sorted(
            one for one in of_source
            if value(one) not in here and bool(YEAR.fullmatch(one)) == bool(YEAR.fullmatch(found[0]))
            and not _PART.match(one)
        )  # fmt: skip
        if fitting:
            return Edit(at, found.start(), found.end(), draw.choice(fitting))
    return None


def noun_phrase(scene: Scene, others: Elsewhere, lists: WordLists, draw: Random) -> Edit | None:
    """Return an edit that puts a modifier of one noun before another noun, which never has it in source or
    explanation.
    """
    pairs = {
        (word.lower_, word.head.lower_) for doc in (scene.source, *scene.parses) for word in doc if _modifies(word)
    }
    found = []
    for at, parse in enumerate(scene.parses):
        here = {word.lower_ for word in parse}
        for noun in parse:
            if noun.pos_ != "NOUN" or not noun.is_alpha or noun.dep_ == "compound" or is_of_task(noun):
                continue
            own = [word for word in noun.lefts if _modifies(word)]
            first = own[0].i if own else noun.i
            before = parse[first - 1] if first else None
            if len(own) > 1 or noun.i - first > 1 or before is None or before.lower_ in ("a", "an", "-"):
                continue
            fitting = sorted({one for one, head in pairs if one not in here and (one, noun.lower_) not in pairs})
            start = own[0].idx if own else noun.idx
            found += [Edit(at, start, noun.idx, f"{one} ") for one in fitting]
    return draw.choice(found) if found else None


def _modifies(word: "Token") -> bool:
    """Return True for an adjective before its noun, except for adjectives with little meaning."""
    is_plain = word.dep_ == "amod" and word.pos_ == "ADJ" and len(word.text) > 3 and word.text.islower()
    return is_plain and word.lower_ not in _WEIGHTLESS
