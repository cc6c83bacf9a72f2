"""Errors that misstate what the source says: its names, numbers and modifiers in other places, its events reversed."""

import re
from collections.abc import Callable
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING

from src.explanation.planting.scene import NUMBER, YEAR, Edit, Elsewhere, Scene, is_of_task, names_of, numbers_of
from src.explanation.planting.word_lists import WordLists

if TYPE_CHECKING:
    from spacy.tokens import Token

_AUX = frozenset("is was were are has have had will would could did does do should".split())  # noqa: SIM905
_WEIGHTLESS = {"much", "many", "other", "such", "same", "certain", "more", "most", "several", "various", "last", "next"}
_NOT = re.compile(r"\b(?:not |n['\u2019]t\b)|\bno (?=\w)", re.IGNORECASE)


def entity(scene: Scene, others: Elsewhere, lists: WordLists, draw: Random) -> Edit | None:
    """A name becomes another one of the same kind that the source has and the sentence has not."""
    of_source = {(name.label_, name.text) for name in names_of(scene.source)}
    places = [(at, name) for at, parse in enumerate(scene.parses) for name in names_of(parse)]
    for at, name in draw.sample(places, len(places)):
        here = {word.lower_ for word in scene.parses[at]}
        fitting = sorted(
            text for label, text in of_source
            if label == name.label_ and not {word.lower() for word in text.split()} & here
        )  # fmt: skip
        if fitting:
            return Edit(at, name.start_char, name.end_char, draw.choice(fitting))
    return None


def number(scene: Scene, others: Elsewhere, lists: WordLists, draw: Random) -> Edit | None:
    """A number becomes another one of the source: a year a year, any other one any other."""
    of_source = {found[0] for found in NUMBER.finditer(scene.source.text)}
    places = [(at, found) for at, said in enumerate(scene.said) for found in numbers_of(said)]
    for at, found in draw.sample(places, len(places)):
        here = {one[0].replace(",", "") for one in NUMBER.finditer(scene.said[at])}
        fitting = sorted(
            one for one in of_source
            if one.replace(",", "") not in here and bool(YEAR.fullmatch(one)) == bool(YEAR.fullmatch(found[0]))
        )  # fmt: skip
        if fitting:
            return Edit(at, found.start(), found.end(), draw.choice(fitting))
    return None


def event(scene: Scene, others: Elsewhere, lists: WordLists, draw: Random) -> Edit | None:
    """What happened is denied or affirmed, its opposite, or done by whom it was done to."""
    ways: list[Callable[[Scene, WordLists, Random], Edit | None]] = [_negated, _opposite, _swapped]
    for way in draw.sample(ways, len(ways)):
        if (found := way(scene, lists, draw)) is not None:
            return found
    return None


def noun_phrase(scene: Scene, others: Elsewhere, lists: WordLists, draw: Random) -> Edit | None:
    """A modifier that the source has for one noun stands before another one, which has it nowhere."""
    pairs = {
        (word.lower_, word.head.lower_) for doc in (scene.source, *scene.parses) for word in doc if _modifies(word)
    }
    found = []
    for at, parse in enumerate(scene.parses):
        here = {word.lower_ for word in parse}
        for noun in parse:
            if noun.pos_ != "NOUN" or noun.dep_ == "compound" or not noun.i or is_of_task(noun):
                continue
            own = [word for word in noun.lefts if _modifies(word)]
            if len(own) > 1 or (not own and noun.nbor(-1).lower_ in ("a", "an")) or (own and own[0].i != noun.i - 1):
                continue
            fitting = sorted({one for one, head in pairs if one not in here and (one, noun.lower_) not in pairs})
            start = own[0].idx if own else noun.idx
            found += [Edit(at, start, noun.idx, f"{one} ") for one in fitting]
    return draw.choice(found) if found else None


def _modifies(word: "Token") -> bool:
    """An adjective before its noun, of some weight."""
    is_plain = word.dep_ == "amod" and word.pos_ == "ADJ" and len(word.text) > 3 and word.text.islower()
    return is_plain and word.lower_ not in _WEIGHTLESS


def _negated(scene: Scene, lists: WordLists, draw: Random) -> Edit | None:
    """`not` is taken out of a sentence that has it, else put behind an auxiliary."""
    found = []
    for at, said in enumerate(scene.said):
        if (denied := _NOT.search(said)) is not None:
            if denied[0].lower() == "not ":
                found.append(Edit(at, denied.start(), denied.end(), ""))
            continue
        aux = [word for word in scene.parses[at] if word.lower_ in _AUX and word.dep_ in ("aux", "auxpass", "ROOT")]
        found += [
            Edit(at, word.idx + len(word), word.idx + len(word), " not") for word in aux[:1] if word.lower_ != "can"
        ]
    return draw.choice(found) if found else None


def _opposite(scene: Scene, lists: WordLists, draw: Random) -> Edit | None:
    other = dict(lists.opposites) | {second: first for first, second in lists.opposites}
    found = [
        Edit(at, word.idx, word.idx + len(word), other[word.text])
        for at, parse in enumerate(scene.parses) for word in parse if word.text in other
    ]  # fmt: skip
    return draw.choice(found) if found else None


def _swapped(scene: Scene, lists: WordLists, draw: Random) -> Edit | None:
    """The first two names of a sentence change places, where a verb stands between them."""
    found = []
    for at, parse in enumerate(scene.parses):
        names = names_of(parse)
        for first, second in pairwise(names):
            between = parse[first.end : second.start]
            if first.label_ == second.label_ and first.text != second.text and any(w.pos_ == "VERB" for w in between):
                middle = scene.said[at][first.end_char : second.start_char]
                found.append(Edit(at, first.start_char, second.end_char, f"{second.text}{middle}{first.text}"))
    return draw.choice(found) if found else None
