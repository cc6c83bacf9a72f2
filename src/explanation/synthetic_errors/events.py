"""Misstated events: negated or affirmed, replaced by their opposite, or with subject and object swapped."""

import re
from collections.abc import Callable
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING

from src.explanation.synthetic_errors.mentions import is_of_task, names_of
from src.explanation.synthetic_errors.scene import Edit, Elsewhere, Scene
from src.explanation.synthetic_errors.word_lists import WordLists

if TYPE_CHECKING:
    from spacy.tokens import Token

DENIALS = re.compile(
    r"\b(?:not|never|neither|nor|no|none|nobody|nothing|nowhere|cannot|without|hardly)\b|n['\u2019]t\b", re.IGNORECASE
)
_BEING = frozenset(("is", "was", "were", "are"))
_AUX = _BEING | frozenset(("has", "have", "had", "will", "would", "could", "did", "does", "do", "should"))
_VERDICTS = frozenset("true false untrue refuted supported correct incorrect accurate inaccurate confirmed".split())  # noqa: SIM905
_MUTUAL = frozenset(
    "meet marry join share agree debate divorce date fight resemble accompany border play face compete be have".split()  # noqa: SIM905
)


def event(scene: Scene, others: Elsewhere, lists: WordLists, draw: Random) -> Edit | None:
    """Return an edit that negates or affirms an event, replaces it by its opposite, or swaps subject and object."""
    ways: list[Callable[[Scene, WordLists, Random], Edit | None]] = [_negated, _opposite, _swapped]
    for way in draw.sample(ways, len(ways)):
        if (found := way(scene, lists, draw)) is not None:
            return found
    return None


def _negated(scene: Scene, lists: WordLists, draw: Random) -> Edit | None:
    """Return an edit that removes `not` from a sentence without another denial, or adds it after an auxiliary."""
    found = []
    for at, (said, parse) in enumerate(zip(scene.said, scene.parses, strict=True)):
        denials = [word for word in parse if DENIALS.fullmatch(word.text)]
        if not denials:
            aux = [word for word in parse if _can_be_denied(word)]
            found += [Edit(at, one.idx + len(one), one.idx + len(one), " not") for one in aux[:1] if not _judges(one)]
        elif len(denials) == 1 and (one := denials[0]).lower_ == "not" and not _judges(one):
            end = one.idx + len(one)
            if said[end : end + 1] == " " == said[one.idx - 1 : one.idx]:
                found.append(Edit(at, one.idx, end + 1, ""))
    return draw.choice(found) if found else None


def _can_be_denied(word: "Token") -> bool:
    """Return True for an auxiliary, or a form of `be` as the main verb."""
    return (word.lower_ in _AUX and word.dep_ in ("aux", "auxpass")) or (word.lower_ in _BEING and word.dep_ == "ROOT")


def _opposite(scene: Scene, lists: WordLists, draw: Random) -> Edit | None:
    other = dict(lists.opposites) | {second: first for first, second in lists.opposites}
    found = [
        Edit(at, word.idx, word.idx + len(word), other[word.text])
        for at, parse in enumerate(scene.parses) for word in parse
        if word.text in other and word.dep_ != "prt" and not _judges(word)
    ]  # fmt: skip
    return draw.choice(found) if found else None


def _judges(word: "Token") -> bool:
    """Return True if the word is part of a statement about the claim or the evidence as such."""
    verb = word if word.pos_ in ("VERB", "AUX") and word.dep_ not in ("aux", "auxpass") else word.head
    subjects = [one for one in verb.children if one.dep_ in ("nsubj", "nsubjpass")]
    return any(map(is_of_task, subjects)) or any(one.lower_ in _VERDICTS for one in (word, verb, *verb.children))


def _swapped(scene: Scene, lists: WordLists, draw: Random) -> Edit | None:
    """Return an edit that swaps subject and object, where this changes the meaning."""
    found = []
    for at, parse in enumerate(scene.parses):
        for first, second in pairwise(names_of(parse)):
            if first.label_ == second.label_ and first.text != second.text and _acts_on(first.root, second.root):
                middle = scene.said[at][first.end_char : second.start_char]
                found.append(Edit(at, first.start_char, second.end_char, f"{second.text}{middle}{first.text}"))
    return draw.choice(found) if found else None


def _acts_on(first: "Token", second: "Token") -> bool:
    """Return True if one is the subject and the other the object of a verb that is not reciprocal."""
    verb = first.head
    is_object = second.head == verb or (second.head.head == verb and second.head.lower_ not in ("with", "and"))
    is_subject = first.dep_ in ("nsubj", "nsubjpass") and second.dep_ in ("dobj", "pobj", "dative")
    return is_subject and is_object and verb.pos_ == "VERB" and verb.lemma_ not in _MUTUAL
