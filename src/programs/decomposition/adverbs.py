"""Adverbs that refer back to a place or a time of another fact: `died there`, `then moved`, `two years later`.

Limitations: only `there` is ever replaced, by the one place that it can mean. `later` and `again` alone are kept.
"""

from typing import TYPE_CHECKING

from src.programs.decomposition.phrases import Phrase
from src.programs.decomposition.subjects import SUBJECTS, core

if TYPE_CHECKING:
    from spacy.tokens import Token

_THEN = {"then", "afterward", "afterwards", "thereafter"}
_FROM = {"later", "earlier", "after", "before"}
_COUNTED = {"following", "next", "preceding", "previous", "same"}
_TIMES = {"century", "day", "decade", "month", "season", "week", "year"}
_EXIST = {"be", "exist", "remain", "seem"}
_AT_PLACES = ("at", "in", "into", "to")
_WHEN = ("DATE", "TIME")


def points_back(word: "Token") -> bool:
    if word.lower_ == "there":
        return word.dep_ != "expl" or word.head.lemma_ not in _EXIST
    if word.lower_ == "so":
        return _does(word)
    if word.text in _COUNTED:
        return word.head.lemma_ in _TIMES and not any(child.dep_ in ("prep", "relcl") for child in word.head.children)
    if word.lower_ in _FROM:
        return word.pos_ == "ADV" and any(child.dep_ == "npadvmod" for child in word.children)
    return word.lower_ in _THEN and word.pos_ == "ADV"


def pointed(word: "Token", own: list["Token"]) -> Phrase | None:
    """Return the replacement of the word, or None if it is unclear what the word refers to.

    The word itself is returned if its referent is in its phrase. `own` are the words of the phrase. With a year among
    them, `then` needs no other fact.
    """
    before = [one for one in own if one.i < word.i]
    joins = bool(before) and before[-1].dep_ == "cc"  # `moved to Lund and then to Oslo`
    verb = next((one for one in word.ancestors if one.pos_ in ("VERB", "AUX")), None)
    if joins or any(_brings_up(one, word, verb) for one in before):
        return (word,)
    if word.lower_ in _THEN and any(one.ent_type_ == "DATE" and one.shape_ == "dddd" for one in own):
        return (word,)
    return _place(word) if word.lower_ == "there" else None


def _does(word: "Token") -> bool:
    return word.i > 0 and word.nbor(-1).lemma_ == "do"


def _brings_up(one: "Token", word: "Token", verb: "Token | None") -> bool:
    """Return True for another action than the word's `verb`, or for a place or a time of the same action."""
    if one.pos_ == "VERB" and one != verb and not (one.i + 1 == word.i and _does(word)):
        return True
    if word.lower_ == "there":
        return one.dep_ == "pobj" and one.head.lower_ in _AT_PLACES and one.ent_type_ not in _WHEN
    return word.text in _COUNTED and one.ent_type_ in _WHEN and one not in word.head.subtree


def _place(there: "Token") -> Phrase | None:
    """Return `in Rome` if that is the only earlier place or thing that `there` can mean, else None."""
    doc = there.doc
    named = [
        one
        for one in doc[: there.i]
        if one.dep_ == "pobj" and one.head.lower_ in _AT_PLACES and one.ent_type_ not in _WHEN and one.pos_ != "NUM"
    ]
    if len(named) != 1 or there.dep_ == "expl":
        return None
    place, preposition = named[0], named[0].head
    has_other = any(one.dep_ in ("dobj", "attr") for one in doc[: there.i]) or _has_noun(there.head)
    if place.pos_ != "PROPN" or preposition.head.pos_ != "VERB" or has_other:
        return None
    if any(child.dep_ == "conj" for child in place.children):
        return None
    words = core(place).phrase
    return words if there.head.pos_ == "ADP" else ("at" if preposition.lower_ == "at" else "in", *words)


def _has_noun(verb: "Token") -> bool:
    """Return True if the verb has a subject other than a pronoun."""
    return any(child.dep_ in SUBJECTS and child.pos_ != "PRON" for child in verb.children)
