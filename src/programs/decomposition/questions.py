"""Questions with the question word in front and inverted word order: `Which play did Anna Berg write?`

Limitations: a thing in a clause inside the clause is not asked for, because such a question is not grammatical.
"""

from typing import TYPE_CHECKING

from src.programs.decomposition.phrases import Answer, Phrase, tokens
from src.programs.decomposition.subjects import SUBJECTS
from src.programs.decomposition.verbs import AUXILIARIES, finite, infinitive

if TYPE_CHECKING:
    from spacy.tokens import Token

_DO = {"VBD": "did", "VBZ": "does", "VBP": "do"}
_SAME_IN_PAST = {
    "beat",
    "cast",
    "cost",
    "cut",
    "hit",
    "hurt",
    "let",
    "put",
    "quit",
    "read",
    "set",
    "shut",
    "split",
    "spread",
}
_PUT_IN = ("is", "are", "was", "were")
_THROUGH = {"dobj", "pobj", "prep", "attr", "agent", "dative", "xcomp", "oprd", "acomp"}


def fronted(phrase: Phrase, at: int, length: int, verb: "Token") -> Phrase | None:
    """Return the question, or None if the phrase cannot be inverted.

    The `length` pieces from `at` are the question word and its noun; `verb` is the verb of the phrase.
    """
    asked, before, after = phrase[at : at + length], _ended(phrase[:at]), _ended(phrase[at + length :])
    if not before:
        return (*asked, *after)
    carrier = _carrier(phrase, verb)
    if carrier is None:
        return None
    place, form = carrier
    if place >= at:  # the question word is the subject, after an adverbial
        return (*asked, *after, *before) if _is_adverbial(phrase[:at]) else None
    opening, subject = _opening(before[:place])
    rest = (*form[1:], *before[place + 1 :], *after, *opening)
    return (*asked, form[0], *subject, *rest) if subject else None


def can_be_asked(noun: "Token", verb: "Token") -> bool:
    """Return True if no clause, list or subject is between the noun and the verb."""
    while noun != verb:
        if noun.dep_ in SUBJECTS and noun.head == verb:
            return True
        if noun.dep_ not in _THROUGH or noun.head.lower_ == "than" or noun.head == noun:
            return False
        noun = noun.head
    return True


def _carrier(phrase: Phrase, verb: "Token") -> tuple[int, Phrase] | None:
    """Return the place of the finite verb and its replacement: the first word moves to the front, the others stay."""
    words = [child for child in verb.lefts if child.dep_ in AUXILIARIES]
    for place, piece in enumerate(phrase):
        if isinstance(piece, str) and piece in _PUT_IN:
            return place, (piece,)
    word = finite(verb)
    if word is None or word not in phrase:
        return None
    if words or verb.lemma_ == "be":
        return phrase.index(word), (word,)
    lemma = infinitive(word)
    if word.tag_ == "VBD" and lemma == word.lower_ and word.lower_ not in _SAME_IN_PAST:
        return None  # the lemmatizer does not know its infinitive: `co-chaired`
    return phrase.index(word), (_DO[word.tag_], lemma) if word.tag_ in _DO else (word,)


def _opening(before: Phrase) -> tuple[Phrase, Phrase]:
    """Return the part before the comma, and the subject after it."""
    commas = [place for place, piece in enumerate(before) if getattr(piece, "text", "") == ","]
    if len(commas) != 1 or not _is_adverbial(before[: commas[0]]):
        return (), before
    return before[: commas[0]], before[commas[0] + 1 :]


def _is_adverbial(before: Phrase) -> bool:
    """Return True if the phrase begins like `in 1990` or `later`."""
    first = before[0] if before else None
    return first is not None and not isinstance(first, (str, Answer)) and first.pos_ in ("ADP", "ADV")


def _ended(phrase: Phrase) -> Phrase:
    """Return the phrase without the punctuation at its end."""
    last = len(phrase)
    while (
        last
        and getattr(phrase[last - 1], "is_punct", False)
        and getattr(phrase[last - 1], "text", "") not in (")", '"')
    ):
        last -= 1
    return phrase[:last]


def verb_of(phrase: Phrase) -> "Token | None":
    """Return the main verb of the phrase; None if there is not exactly one."""
    inside = {word.i for word in tokens(phrase)}
    heads = [word for word in tokens(phrase) if word.pos_ in ("VERB", "AUX") and word.head.i not in inside - {word.i}]
    return heads[0] if len(heads) == 1 else None
