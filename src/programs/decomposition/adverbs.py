"""Words that point back to a place or a time that another fact says: `died there`, `then moved`, `two years later`.

But: only `there` is ever replaced, by the one place that can be meant; `later` and `again` alone may stand.
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
    """What to say for the word; itself where what it points to is in its phrase, None where that is not clear.

    `own` are the words of the phrase; `then` needs no other fact where a year is among them.
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
    """Another action than its own `verb`, or a place or a time that is told of the same one."""
    if one.pos_ == "VERB" and one != verb and not (one.i + 1 == word.i and _does(word)):
        return True
    if word.lower_ == "there":
        return one.dep_ == "pobj" and one.head.lower_ in _AT_PLACES and one.ent_type_ not in _WHEN
    return word.text in _COUNTED and one.ent_type_ in _WHEN and one not in word.head.subtree


def _place(there: "Token") -> Phrase | None:
    """`in Rome`, where that is the only place or thing before that `there` can mean."""
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
    """Whether it is said of another subject than what stands before."""
    return any(child.dep_ in SUBJECTS and child.pos_ != "PRON" for child in verb.children)
