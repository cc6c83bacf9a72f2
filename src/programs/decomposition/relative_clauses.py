"""Relative clauses as separate statements: a phrase replaces `who`, `which`, `whose` or `where`."""

from typing import TYPE_CHECKING, NamedTuple

from src.programs.decomposition.phrases import SUBJECTS, Phrase, Words

if TYPE_CHECKING:
    from spacy.tokens import Token

_RELATIVE = ("WDT", "WP", "WP$", "WRB")
_PLACES = {"in", "at", "on"}
_WITHIN = _PLACES | {"near", "by", "from"}
_OF_THE_WHOLE = {"result", "lead", "mean", "cause", "make", "allow", "bring", "give", "help"}  # `, which led to`
_REGIONS = ("GPE", "LOC")


class Statement(NamedTuple):
    """A relative clause rewritten as a statement.

    `is_about` is True if the phrase inserted for the relative pronoun is the subject of the statement.
    """

    phrase: Phrase
    is_about: bool


def statement(verb: "Token", filler: Phrase) -> Statement | None:
    """Return the relative clause of `verb` as a statement, with `filler` in place of the relative pronoun.

    Return None if it is unclear where the filler belongs, or which noun the clause is about.
    """
    if _is_of_either(verb):
        return None
    words = tuple(
        word for word in sorted(verb.subtree) if word.dep_ != "mark" or word.head != verb or word.lower_ != "that"
    )
    relatives = [word for word in words if word.tag_ in _RELATIVE and _belongs(word, verb)]
    if not relatives:
        return _without_pronoun(verb, words, filler)
    relative = relatives[0]
    if relative.tag_ == "WRB":
        return _place(verb, words, relative, filler)
    if relative.tag_ == "WP$":
        return _possessive(words, relative, filler)
    return _plain(verb, words, relative, filler)


def _is_of_either(verb: "Token") -> bool:
    """Return True if the clause may be about either of two nouns: `the mill at Lund, which burned down`."""
    place = verb.head
    inside = place.dep_ == "pobj" and place.head.lower_ in _WITHIN and place.head.head.pos_ in ("NOUN", "PROPN")
    return inside and verb.left_edge.i > 0 and verb.left_edge.nbor(-1).text == ","


def is_relative(verb: "Token") -> bool:
    return any(child.dep_ in SUBJECTS and child.tag_ in _RELATIVE for child in verb.children)


def _stranded(words: Words, verb: "Token") -> "Token | None":
    """Return a preposition that is separated from its noun: `in` of `that she appeared in`; None if there is none."""
    prepositions = [word for word in words if word.pos_ == "ADP" and word.i > verb.i and not any(word.children)]
    alone = [word for word in prepositions if word == words[-1] or not word.nbor().is_alpha]
    return alone[0] if len(alone) == 1 else None


def _belongs(word: "Token", verb: "Token") -> bool:
    """Return True if the relative word introduces the clause of `verb`, not one inside it."""
    return word.i - verb.left_edge.i <= 3 and word.i < verb.i


def _in_subject(word: "Token", verb: "Token") -> bool:
    while word != verb and word.head != word:
        if word.dep_ in SUBJECTS and word.head == verb:
            return True
        word = word.head
    return False


def _plain(verb: "Token", words: Words, relative: "Token", filler: Phrase) -> Statement | None:
    if _in_subject(relative, verb):
        if relative.dep_ not in SUBJECTS or subject_of_any(verb) or not _agrees(relative, verb):
            return None
        return Statement(_filled(words, relative, filler), True)
    objects = [child for child in relative.head.children if child.dep_ in ("dobj", "dative", "attr")]
    if relative.dep_ in ("dobj", "attr") and subject_of_any(verb) and objects == [relative]:
        return Statement(
            _after(_less(words, relative), _stranded(words, verb) or _last_of(relative.head), filler), False
        )
    if relative.dep_ == "pobj":
        preposition = relative.head
        if preposition.i > relative.i:
            return Statement(_after(_less(words, relative), preposition, filler), False)
        if preposition.i == words[0].i and subject_of_any(verb):
            rest = _less(words, relative, preposition)
            twice = _stranded(rest, verb)  # `the group for whom she sings with`: the second preposition stays
            phrase = (*_ended(rest), preposition.lower_, *filler) if twice is None else _after(rest, twice, filler)
            return Statement(phrase, False)
    return None


def _agrees(relative: "Token", verb: "Token") -> bool:
    """Return True if the relative pronoun can refer to the noun before it: `which` to a thing, `who` to a person."""
    kind = verb.head.ent_type_
    if relative.lower_ == "which":
        return kind != "PERSON" and verb.lemma_ not in _OF_THE_WHOLE
    return relative.lower_ != "who" or kind not in _REGIONS


def subject_of_any(verb: "Token") -> bool:
    return any(child.dep_ in SUBJECTS and child.tag_ not in _RELATIVE for child in verb.children)


def _without_pronoun(verb: "Token", words: Words, filler: Phrase) -> Statement | None:
    """Return the statement of a clause without a relative pronoun: `the team Berg plays for`; None if it is unclear.

    The filler follows the preposition without a noun, or the verb.
    """
    if not subject_of_any(verb):
        return None
    stranded = [word for word in words if word.dep_ == "prep" and not any(word.children)]
    if len(stranded) == 1:
        return Statement(_after(words, stranded[0], filler), False)
    if stranded or any(child.dep_ in ("dobj", "attr", "acomp", "auxpass", "ccomp") for child in verb.children):
        return None
    return Statement(_after(words, _last_of(verb), filler), False) if verb.pos_ == "VERB" else None


def _possessive(words: Words, relative: "Token", filler: Phrase) -> Statement | None:
    if relative.head.dep_ not in SUBJECTS:
        return None
    return Statement(_filled(words, relative, possessive(filler)), False)


def possessive(phrase: Phrase) -> Phrase:
    last = phrase[-1]
    return (*phrase, "'" if getattr(last, "tag_", "") == "NNS" else "'s")


def _place(verb: "Token", words: Words, relative: "Token", filler: Phrase) -> Statement | None:
    if relative.lower_ not in ("where", "wherein") or not subject_of_any(verb):
        return None
    noun = verb.head
    is_region = noun.ent_type_ in _REGIONS or noun.pos_ == "NOUN"
    before = noun.head.lower_ if noun.dep_ == "pobj" else ""
    if _stranded(words, verb):
        return Statement((*_ended(_less(words, relative)), *filler), False)
    preposition = before if before in _PLACES else "in" if is_region or relative.lower_ == "wherein" else "at"
    return Statement((*_ended(_less(words, relative)), preposition, *filler), False)


def _filled(words: Words, place: "Token", filler: Phrase) -> Phrase:
    return tuple(piece for word in words for piece in (filler if word == place else (word,)))


def _after(words: Words, place: "Token", filler: Phrase) -> Phrase:
    return tuple(piece for word in words for piece in ((word, *filler) if word == place else (word,)))


def _last_of(verb: "Token") -> "Token":
    """Return the verb's particle (`up` of `grew up`), or the verb if it has none."""
    return next((child for child in verb.rights if child.dep_ == "prt" and child.i == verb.i + 1), verb)


def _less(words: Words, *gone: "Token") -> Words:
    return tuple(word for word in words if word not in gone)


def _ended(words: Words) -> Words:
    """Return the words without the punctuation at their end, so that other words can follow."""
    last = len(words)
    while last and words[last - 1].is_punct and words[last - 1].text != ")":
        last -= 1
    return words[:last]
