"""The edits that plant an error in an explanation, one function for each kind of error.

Extrinsic errors add what the source does not say: names, numbers, an event, a modifier. Intrinsic errors misstate what
it says: its names, numbers and modifiers in wrong places, events negated, reversed or with subject and object swapped.
Errors of reasoning are a conclusion wider than its evidence, an irrelevant sentence, and another verdict.

All functions return None if the explanation has no suitable place.
"""

import re
from collections.abc import Callable
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING

from src.explanation.synthetic_errors.scene import (
    NUMBER,
    YEAR,
    Edit,
    Elsewhere,
    Scene,
    is_of_task,
    kin,
    names_of,
    numbers_of,
    sentence_of_another,
    value,
)
from src.explanation.synthetic_errors.word_lists import WordLists
from src.quantities import is_given, quantities
from src.records import Verdict

if TYPE_CHECKING:
    from spacy.tokens import Token


TRIES = 40
LONGEST_CLAUSE = 18  # words
_OPENINGS = frozenset("the a an in on at it he she they this these there his her its their some many".split())  # noqa: SIM905


def extrinsic_entity(scene: Scene, others: Elsewhere, lists: WordLists, draw: Random) -> Edit | None:
    """Return an edit that replaces a name by a name of the same type from another claim. No word of the new name is in
    claim, evidence or explanation.
    """
    places = [(at, name) for at, parse in enumerate(scene.parses) for name in names_of(parse)]
    for at, name in draw.sample(places, len(places)):
        pool = others.names.get(name.label_, ())
        for other in draw.sample(pool, min(TRIES, len(pool))):
            if not {word.lower() for word in other.split()} & scene.words and not kin(other) & kin(scene.text):
                return Edit(at, name.start_char, name.end_char, other)
    return None


def extrinsic_number(scene: Scene, others: Elsewhere, lists: WordLists, draw: Random) -> Edit | None:
    """Return an edit that replaces a number by a new one with as many digits; a year changes by up to twenty years."""
    places = [(at, match) for at, sentence in enumerate(scene.sentences) for match in numbers_of(sentence)]
    for at, match in draw.sample(places, len(places)):
        for _ in range(TRIES):
            other = _another(match[0], draw)
            if not any(is_given(one, scene.numbers) for one in quantities(other)):
                return Edit(at, match.start(), match.end(), other)
    return None


def extrinsic_event(scene: Scene, others: Elsewhere, lists: WordLists, draw: Random) -> Edit | None:
    """Return an edit that adds a clause about another event, from the word lists, before the full stop."""
    return _behind(scene, draw.choice(lists.events), draw)


def extrinsic_event_elsewhere(scene: Scene, others: Elsewhere, lists: WordLists, draw: Random) -> Edit | None:
    """Return an edit that adds a sentence of another claim's evidence as a clause before the full stop.

    Unlike `extrinsic_event`, it uses no word list.
    """
    pool = [
        (of, text) for of, text in others.sentences
        if len(text.split()) <= LONGEST_CLAUSE and text.partition(" ")[0].lower() in _OPENINGS
    ]  # fmt: skip
    sentence = sentence_of_another(scene, pool, draw)
    return None if sentence is None else _behind(scene, f", and {sentence[:1].lower()}{sentence[1:-1]}", draw)


def _behind(scene: Scene, clause: str, draw: Random) -> Edit | None:
    ends = [at for at in scene.ends if len(scene.sentences[at].split()) > 3]
    if not ends:
        return None
    at = draw.choice(ends)
    end = len(scene.sentences[at]) - 1
    return Edit(at, end, end, clause)


def extrinsic_noun_phrase(scene: Scene, others: Elsewhere, lists: WordLists, draw: Random) -> Edit | None:
    """Return an edit that adds an adjective from the word lists to a noun without a modifier."""
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


_PART = re.compile(r"0\d")  # part of a number that was written with a space
_WEIGHTLESS = {"much", "many", "other", "such", "same", "certain", "more", "most", "several", "various", "last", "next"}


def intrinsic_entity(scene: Scene, others: Elsewhere, lists: WordLists, draw: Random) -> Edit | None:
    """Return an edit that replaces a name by another name of the same type, which is in the source but not in the
    sentence.
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


def intrinsic_number(scene: Scene, others: Elsewhere, lists: WordLists, draw: Random) -> Edit | None:
    """Return an edit that replaces a number by another number of the source; a year is replaced only by a year."""
    of_source = {match[0] for match in NUMBER.finditer(scene.source.text)}
    places = [(at, match) for at, sentence in enumerate(scene.sentences) for match in numbers_of(sentence)]
    for at, match in draw.sample(places, len(places)):
        here = {value(one[0]) for one in NUMBER.finditer(scene.sentences[at])}
        fitting = sorted(
            one for one in of_source
            if value(one) not in here and bool(YEAR.fullmatch(one)) == bool(YEAR.fullmatch(match[0]))
            and not _PART.match(one)
        )  # fmt: skip
        if fitting:
            return Edit(at, match.start(), match.end(), draw.choice(fitting))
    return None


def intrinsic_noun_phrase(scene: Scene, others: Elsewhere, lists: WordLists, draw: Random) -> Edit | None:
    """Return an edit that puts a modifier of one noun before another noun. Neither source nor explanation has this
    combination.
    """
    pairs = {
        (word.lower_, word.head.lower_) for doc in (scene.source, *scene.parses) for word in doc if _modifies(word)
    }
    edits = []
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
            edits += [Edit(at, start, noun.idx, f"{one} ") for one in fitting]
    return draw.choice(edits) if edits else None


def _modifies(word: "Token") -> bool:
    """Return True for an adjective before its noun, except for adjectives with little meaning."""
    is_plain = word.dep_ == "amod" and word.pos_ == "ADJ" and len(word.text) > 3 and word.text.islower()
    return is_plain and word.lower_ not in _WEIGHTLESS


DENIALS = re.compile(
    r"\b(?:not|never|neither|nor|no|none|nobody|nothing|nowhere|cannot|without|hardly)\b|n['\u2019]t\b", re.IGNORECASE
)
_BEING = frozenset(("is", "was", "were", "are"))
_AUX = _BEING | frozenset(("has", "have", "had", "will", "would", "could", "did", "does", "do", "should"))
_VERDICTS = frozenset("true false untrue refuted supported correct incorrect accurate inaccurate confirmed".split())  # noqa: SIM905
_MUTUAL = frozenset(
    "meet marry join share agree debate divorce date fight resemble accompany border play face compete be have".split()  # noqa: SIM905
)


def intrinsic_event(scene: Scene, others: Elsewhere, lists: WordLists, draw: Random) -> Edit | None:
    """Return an edit that negates or affirms an event, replaces a word by its opposite, or swaps subject and object."""
    ways: list[Callable[[Scene, WordLists, Random], Edit | None]] = [_negated, _opposite, _swapped]
    for way in draw.sample(ways, len(ways)):
        if (edit := way(scene, lists, draw)) is not None:
            return edit
    return None


def _negated(scene: Scene, lists: WordLists, draw: Random) -> Edit | None:
    """Return an edit that removes `not` from a sentence without another negation, or adds `not` after an auxiliary."""
    edits = []
    for at, (sentence, parse) in enumerate(zip(scene.sentences, scene.parses, strict=True)):
        denials = [word for word in parse if DENIALS.fullmatch(word.text)]
        if not denials:
            aux = [word for word in parse if _can_be_denied(word)]
            edits += [Edit(at, one.idx + len(one), one.idx + len(one), " not") for one in aux[:1] if not _judges(one)]
        elif len(denials) == 1 and (one := denials[0]).lower_ == "not" and not _judges(one):
            end = one.idx + len(one)
            if sentence[end : end + 1] == " " == sentence[one.idx - 1 : one.idx]:
                edits.append(Edit(at, one.idx, end + 1, ""))
    return draw.choice(edits) if edits else None


def _can_be_denied(word: "Token") -> bool:
    """Return True for an auxiliary, or a form of `be` as the main verb."""
    return (word.lower_ in _AUX and word.dep_ in ("aux", "auxpass")) or (word.lower_ in _BEING and word.dep_ == "ROOT")


def _opposite(scene: Scene, lists: WordLists, draw: Random) -> Edit | None:
    other = dict(lists.opposites) | {second: first for first, second in lists.opposites}
    edits = [
        Edit(at, word.idx, word.idx + len(word), other[word.text])
        for at, parse in enumerate(scene.parses) for word in parse
        if word.text in other and word.dep_ != "prt" and not _judges(word)
    ]  # fmt: skip
    return draw.choice(edits) if edits else None


def _judges(word: "Token") -> bool:
    """Return True if the word is part of a statement about the fact-check itself: claim, evidence or verdict."""
    verb = word if word.pos_ in ("VERB", "AUX") and word.dep_ not in ("aux", "auxpass") else word.head
    subjects = [one for one in verb.children if one.dep_ in ("nsubj", "nsubjpass")]
    return any(map(is_of_task, subjects)) or any(one.lower_ in _VERDICTS for one in (word, verb, *verb.children))


def _swapped(scene: Scene, lists: WordLists, draw: Random) -> Edit | None:
    """Return an edit that swaps subject and object, where this changes the meaning."""
    edits = []
    for at, parse in enumerate(scene.parses):
        for first, second in pairwise(names_of(parse)):
            if first.label_ == second.label_ and first.text != second.text and _acts_on(first.root, second.root):
                middle = scene.sentences[at][first.end_char : second.start_char]
                edits.append(Edit(at, first.start_char, second.end_char, f"{second.text}{middle}{first.text}"))
    return draw.choice(edits) if edits else None


def _acts_on(first: "Token", second: "Token") -> bool:
    """Return True if `first` is the subject and `second` the object of a verb that is not reciprocal (as `meet` is)."""
    verb = first.head
    is_object = second.head == verb or (second.head.head == verb and second.head.lower_ not in ("with", "and"))
    is_subject = first.dep_ in ("nsubj", "nsubjpass") and second.dep_ in ("dobj", "pobj", "dative")
    return is_subject and is_object and verb.pos_ == "VERB" and verb.lemma_ not in _MUTUAL


_TRUE, _FALSE = {Verdict.SUPPORTED, "true", "supports"}, {Verdict.REFUTED, "false", "refutes"}
_STATED = re.compile(
    r"(?<=\bclaim is )(?P<word>true|false|supported|refuted|correct|incorrect|accurate|inaccurate|untrue)\b",
    re.IGNORECASE,
)
_DEGREES = {"very", "more", "less", "most", "so", "too", "quite", "as", "how", "not", "n't", "n\u2019t"}


def overgeneralisation(scene: Scene, others: Elsewhere, lists: WordLists, draw: Random) -> Edit | None:
    """Return an edit that replaces a limiting word by a general one, or adds words that make a sentence hold
    everywhere.
    """
    narrow = [
        (at, word) for at, parse in enumerate(scene.parses) for word in parse
        if word.text in lists.narrow and _limits(word)
    ]  # fmt: skip
    if narrow and draw.random() < 0.5:
        at, word = draw.choice(narrow)
        return Edit(at, word.idx, word.idx + len(word), draw.choice(lists.narrow[word.text]))
    if not scene.ends:
        return None
    at = draw.choice(scene.ends)
    if draw.random() < 0.5:
        end = len(scene.sentences[at]) - 1
        return Edit(at, end, end, draw.choice(lists.behind))
    first = scene.parses[at][0]
    keeps = first.pos_ == "PROPN" or first.ent_type_ or len(first.text) == 1 or first.text[1:2].isupper()
    opening = first.text[:1] if keeps else first.text[:1].lower()
    return Edit(at, 0, 1, f"{draw.choice(lists.before)}{opening}")


def _limits(word: "Token") -> bool:
    """Return True if the word limits a statement by itself: not in `a few`, `most important`, `very often` or `may
    not`.
    """
    before = word.nbor(-1) if word.i else None
    behind = word.nbor(1) if word.i + 1 < len(word.doc) else None
    if before is not None and (before.pos_ in ("DET", "PRON") or before.lower_ in _DEGREES):
        return False
    if word.pos_ in ("ADJ", "DET") or word.lower_ == "most":
        return behind is not None and behind.pos_ == "NOUN" and behind.tag_ == "NNS"
    return behind is not None and behind.lower_ not in ("not", "n't", "n\u2019t", "be", "of")


def irrelevant_evidence(scene: Scene, others: Elsewhere, lists: WordLists, draw: Random) -> Edit | None:
    """Return an edit that inserts a sentence of another claim's evidence, which shares hardly a word with this
    claim.
    """
    sentence = sentence_of_another(scene, others.sentences, draw)
    return None if sentence is None else Edit(draw.randrange(len(scene.sentences)), 0, 0, sentence, whole=True)


def flipped_conclusion(scene: Scene, others: Elsewhere, lists: WordLists, draw: Random) -> Edit | None:
    """Return an edit that replaces the stated verdict by a wrong one, or adds a wrong verdict if none is stated."""
    own = "true" if scene.claim.label in _TRUE else "false" if scene.claim.label in _FALSE else "open"
    wrong = [words for side, words in (("true", lists.true), ("false", lists.false)) if side != own]
    word = draw.choice(draw.choice(wrong))
    for at, sentence in enumerate(scene.sentences):
        match = _STATED.search(sentence)
        if match is not None and not DENIALS.search(sentence):
            stated = "true" if match[0].lower() in ("true", "supported", "correct", "accurate") else "false"
            if stated == own:
                return Edit(at, match.start(), match.end(), word)
    closing = draw.choice(lists.closings).format(word)
    return Edit(len(scene.sentences), 0, 0, f"{closing[:1].upper()}{closing[1:]}", whole=True)
