"""Errors that add what the source does not say: names, numbers, an event, a modifier."""

from random import Random
from typing import TYPE_CHECKING

from src.explanation.synthetic_errors.mentions import YEAR, is_of_task, kin, names_of, numbers_of
from src.explanation.synthetic_errors.scene import Edit, Elsewhere, Scene, sentence_of_another
from src.explanation.synthetic_errors.word_lists import WordLists
from src.quantities import is_told, quantities

if TYPE_CHECKING:
    from spacy.tokens import Token

TRIES = 40
LONGEST_CLAUSE = 18  # words
_OPENINGS = frozenset("the a an in on at it he she they this these there his her its their some many".split())  # noqa: SIM905


def entity(scene: Scene, others: Elsewhere, lists: WordLists, draw: Random) -> Edit | None:
    """Return an edit that replaces a name by one of the same kind from another claim; none of its words is in this
    scene.
    """
    places = [(at, name) for at, parse in enumerate(scene.parses) for name in names_of(parse)]
    for at, name in draw.sample(places, len(places)):
        pool = others.names.get(name.label_, ())
        for other in draw.sample(pool, min(TRIES, len(pool))):
            if not {word.lower() for word in other.split()} & scene.words and not kin(other) & kin(scene.text):
                return Edit(at, name.start_char, name.end_char, other)
    return None


def number(scene: Scene, others: Elsewhere, lists: WordLists, draw: Random) -> Edit | None:
    """Return an edit that replaces a number by a new one with as many digits; a year changes by up to twenty."""
    places = [(at, found) for at, said in enumerate(scene.said) for found in numbers_of(said)]
    for at, found in draw.sample(places, len(places)):
        for _ in range(TRIES):
            other = _another(found[0], draw)
            if not any(is_told(one, scene.numbers) for one in quantities(other)):
                return Edit(at, found.start(), found.end(), other)
    return None


def event(scene: Scene, others: Elsewhere, lists: WordLists, draw: Random) -> Edit | None:
    """Return an edit that adds a clause about another event before the full stop."""
    return _behind(scene, draw.choice(lists.events), draw)


def event_elsewhere(scene: Scene, others: Elsewhere, lists: WordLists, draw: Random) -> Edit | None:
    """Return an edit that adds a sentence of another claim's evidence as a clause before the full stop.

    Such clauses are in no word list.
    """
    told = [
        (of, text) for of, text in others.sentences
        if len(text.split()) <= LONGEST_CLAUSE and text.partition(" ")[0].lower() in _OPENINGS
    ]  # fmt: skip
    sentence = sentence_of_another(scene, told, draw)
    return None if sentence is None else _behind(scene, f", and {sentence[:1].lower()}{sentence[1:-1]}", draw)


def _behind(scene: Scene, clause: str, draw: Random) -> Edit | None:
    ends = [at for at in scene.ends if len(scene.said[at].split()) > 3]
    if not ends:
        return None
    at = draw.choice(ends)
    end = len(scene.said[at]) - 1
    return Edit(at, end, end, clause)


def noun_phrase(scene: Scene, others: Elsewhere, lists: WordLists, draw: Random) -> Edit | None:
    """Return an edit that adds an adjective to a noun without one."""
    nouns = [(at, word) for at, parse in enumerate(scene.parses) for word in parse if _is_bare(word)]
    chosen = [one for one in lists.modifiers if one not in scene.words]
    if not nouns or not chosen:
        return None
    at, noun = draw.choice(nouns)
    return Edit(at, noun.idx, noun.idx, f"{draw.choice(chosen)} ")


def _is_bare(noun: "Token") -> bool:
    """Return True for a noun without a modifier, after a word that an adjective can follow."""
    if noun.pos_ != "NOUN" or not noun.is_alpha or noun.dep_ == "compound" or is_of_task(noun) or not noun.i:
        return False
    before = noun.nbor(-1)
    follows = before.dep_ in ("det", "prep", "poss", "ROOT") and before.lower_ not in ("a", "an")
    return follows and not any(word.dep_ in ("amod", "compound", "nummod") for word in noun.lefts)


def _another(number: str, draw: Random) -> str:
    if YEAR.fullmatch(number):
        return str(int(number) + draw.choice([-1, 1]) * draw.randint(1, 20))
    digits = [draw.choice("123456789") if at == 0 else draw.choice("0123456789") for at in range(len(number))]
    return "".join(one if was.isdigit() else was for one, was in zip(digits, number, strict=True))
