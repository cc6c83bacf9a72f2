"""Coreference of pronouns and adverbs: makes a fact readable without the rest of its claim.

Adverbs refer back to a place or a time of another fact: `died there`, `then moved`, `two years later`.

Limitations: `there` is the only adverb that is replaced, and only if the text before it names exactly one place.
`later` and `again` alone are not replaced.
"""

from typing import TYPE_CHECKING

from src.programs.decomposition.mentions import TAKEN_UP
from src.programs.decomposition.phrases import (
    ROLES,
    SUBJECTS,
    Answer,
    Phrase,
    Piece,
    Subject,
    core,
    finite,
    singular,
    tokens,
)

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
    """Return the words that replace `word`, an adverb such as `there` or `then`; None if its referent is unclear.

    The word itself is returned if its referent is in the same phrase. `own` are the words of the phrase. `then` is
    returned unchanged if they include a year.
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
    """Return True if `one` may be the referent of `word`.

    `one` is then a place, a time, or a verb other than `verb`, the verb to which `word` belongs.
    """
    if one.pos_ == "VERB" and one != verb and not (one.i + 1 == word.i and _does(word)):
        return True
    if word.lower_ == "there":
        return one.dep_ == "pobj" and one.head.lower_ in _AT_PLACES and one.ent_type_ not in _WHEN
    return word.text in _COUNTED and one.ent_type_ in _WHEN and one not in word.head.subtree


def _place(there: "Token") -> Phrase | None:
    """Return the words for `there`, such as `in Rome`; None if `there` can mean another place or thing."""
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


_PERSON = {"he", "him", "his", "she", "her", "himself", "herself"}
_THING = {"it", "its", "itself"}
_SEVERAL = {"they", "them", "their", "themselves"}
_ALL = _PERSON | _THING | _SEVERAL
_POINTING = {"this", "that", "these", "those", "such", "latter", "former"}
_PERSONS = ROLES | {"athlete", "individual", "person", "player", "politician", "poet", "rapper", "songwriter"}
_REGIONS = ("GPE", "LOC", "DATE")


def resolved(phrase: Phrase, subjects: tuple[Subject, ...], about: Subject | None) -> Phrase | None:
    """Return the phrase with each pronoun replaced by its antecedent where necessary; None if an antecedent is unclear.

    `about` is the subject of the phrase. `subjects` are `about` and the subjects of enclosing clauses, nearest first.
    """
    pieces: list[Piece] = []
    meant: dict[str, Subject] = {}
    acting: set[str] = set()  # kinds of pronouns that are subjects; an object of the same kind is someone else
    for place, piece in enumerate(phrase):
        if isinstance(piece, (str, Answer)) or not (needs_antecedent(piece) or points_back(piece)):
            pieces.append(piece)
            continue
        if points_back(piece):
            replacement = pointed(piece, list(tokens(phrase)))
            if replacement is None:
                return None
            pieces += replacement
            continue
        known = meant.get(_kind(piece))
        if known is not None and _is_other(piece) and _kind(piece) in acting:
            return None
        candidates = (known, *subjects) if known else subjects
        antecedent = _antecedent(piece, list(tokens(phrase[:place])), candidates, about, known)
        if antecedent is None:
            return None
        if isinstance(antecedent, Subject):
            meant[_kind(piece)] = antecedent
            acting |= {_kind(piece)} if piece.dep_ in SUBJECTS else set()
            pieces += (*antecedent.phrase, "'s") if piece.tag_ == "PRP$" else antecedent.phrase
        else:
            pieces.append(piece)
    return _agreeing(tuple(pieces), meant)


def _agreeing(phrase: Phrase, meant: dict[str, Subject]) -> Phrase:
    """Return the phrase with singular verbs if a singular noun replaces `they`.

    `meant` maps pronouns to their antecedents.
    """
    about = meant.get("they")
    if about is None or about.is_plural:
        return phrase
    verbs = [one.head for one in about.head.doc if one.lower_ == "they" and one.dep_ in SUBJECTS]
    forms = {word.i: form for verb in verbs if (word := finite(verb)) and (form := singular(word))}
    return tuple(piece if isinstance(piece, (str, Answer)) else forms.get(piece.i, piece) for piece in phrase)


def is_loose(phrase: Phrase) -> bool:
    """Return True if the phrase has a pronoun, but lacks words that precede the pronoun in the claim."""
    present = {word.i for word in tokens(phrase)}
    pronouns = [word for word in tokens(phrase) if needs_antecedent(word) or points_back(word)]
    before = [word for pronoun in pronouns for word in pronoun.doc[: pronoun.i]]
    return any(word.i not in present and not word.is_punct for word in before)


def needs_antecedent(word: "Token") -> bool:
    if word.head.i in word.doc.user_data[TAKEN_UP]:
        return False
    if word.lower_ in _POINTING:
        return word.dep_ in ("det", *SUBJECTS, "pobj", "dobj") and word.tag_ in ("DT", "NN", "JJ")
    return word.pos_ == "PRON" and word.lower_ in _ALL and not _is_expletive(word)


def _kind(word: "Token") -> str:
    kinds = {"he": "he", "him": "he", "his": "he", "she": "she", "her": "she", "it": "it", "its": "it"}
    return kinds.get(word.lower_, "they" if word.lower_ in _SEVERAL else word.lower_)


def _antecedent(
    word: "Token", before: list["Token"], subjects: tuple[Subject, ...], about: Subject | None, known: Subject | None
) -> "Subject | Token | None":
    """Return the subject that replaces the pronoun; None if it is unclear.

    If the antecedent precedes the pronoun in the phrase, the pronoun itself is returned: nothing is replaced.
    """
    if word.lower_ in _POINTING:
        if about is not None and word.dep_ == "det" and (word.head == about.head or about.head in before):
            return word
        return None
    for candidate in subjects:
        if not _fits(word, candidate) or word in candidate.phrase:
            continue
        if candidate.head in before and not (candidate is about and _is_other(word)):
            return word
        if candidate.head not in before:
            return candidate if candidate is known or _is_clear(word, candidate) else None
    own = [one for one in before if one.pos_ in ("NOUN", "PROPN") and one.i < word.i and not _is_subject(one, about)]
    return word if own and word.dep_ not in SUBJECTS else None


def _is_subject(word: "Token", about: Subject | None) -> bool:
    return about is not None and word in about.phrase


def _is_other(word: "Token") -> bool:
    """Return True if the pronoun is an object, which cannot refer to the subject of its clause: `taught her`."""
    return word.tag_ == "PRP" and word.dep_ in ("dobj", "dative") and not word.lower_.endswith(("self", "selves"))


def _fits(word: "Token", candidate: Subject) -> bool:
    """Return True if the pronoun agrees with the candidate in number and kind (person or thing)."""
    if word.lower_ in _SEVERAL:
        return candidate.is_plural or (candidate.head.pos_ == "PROPN" and not candidate.is_person)
    if candidate.is_plural:
        return False
    if word.lower_ in _THING:
        return not candidate.is_person
    return candidate.head.ent_type_ not in _REGIONS


def _is_clear(word: "Token", candidate: Subject) -> bool:
    """Return True if the pronoun cannot have another antecedent than the candidate.

    A subject refers back to a subject; otherwise no other person may be named before the pronoun.
    """
    own = {one.i for one in candidate.phrase if not isinstance(one, (str, Answer))}
    others = [one for one in word.doc[: word.i] if _is_person(one) and one.i not in own]
    if candidate.head.sent != word.sent:
        if word.i == word.sent.start and candidate.head.lemma_ in _PERSONS and word.dep_ in SUBJECTS:
            return True
        acted_on = [one for one in others if one.dep_ in ("dobj", "conj") or one.sent == word.sent]
        return word.lower_ not in _PERSON or not (acted_on if word.dep_ in SUBJECTS else others)
    if candidate.head.i > word.i and any(_is_named_subject(one) for one in word.doc[word.sent.start : word.i]):
        return False  # `Holm was ill; in his absence, Berg sang`
    if candidate.head.head.dep_ == "advcl" and not candidate.head.head.is_ancestor(word):
        return _is_only_one(word, candidate, [one for one in others if not _is_place_or_role(one)])
    is_owner = word.tag_ == "PRP$" and word.head.dep_ in SUBJECTS
    if word.dep_ in SUBJECTS or is_owner or word.lower_ not in _PERSON:
        return True
    return not others


def _is_only_one(word: "Token", candidate: Subject, others: list["Token"]) -> bool:
    """Return True if the pronoun after a clause with `although` can only mean that clause's subject.

    `others` are the other persons named before the pronoun.
    """
    if word.lower_ in _PERSON:
        return not others and (candidate.is_person or candidate.head.pos_ == "PROPN")
    objects = [core(child) for child in candidate.head.head.children if child.dep_ == "dobj"]
    return not any(_fits(word, one) for one in objects)


def _is_place_or_role(word: "Token") -> bool:
    """Return True if the noun is a role or a place, which may look like another person: `was a singer in Lund`."""
    return word.dep_ == "attr" or (word.dep_ == "pobj" and word.head.lower_ in ("in", "at"))


def _is_named_subject(word: "Token") -> bool:
    return word.dep_ in SUBJECTS and word.pos_ in ("NOUN", "PROPN")


def _is_person(word: "Token") -> bool:
    return word.ent_type_ == "PERSON" or word.lemma_ in ROLES


def _is_expletive(word: "Token") -> bool:
    """Return True for an `it` that refers to nothing: `it is known that`."""
    if word.dep_ == "expl":
        return True
    clauses = [child for child in word.head.children if child.dep_ in ("ccomp", "csubj")]
    return word.lower_ == "it" and word.dep_ in SUBJECTS and bool(clauses) and word.head.lemma_ == "be"
