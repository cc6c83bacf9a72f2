"""Coreference of nouns across facts: `played in a band. The band won`.

A Question step asks which thing the noun means (`Which band did Anna Berg play in?`), and a placeholder for its answer
replaces each mention in the claim's facts. Questions have the question word in front and inverted word order.

Limitations: there is no question for a noun in an embedded clause, because it would not be grammatical.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from src.programs.decomposition.phrases import (
    AUXILIARIES,
    SUBJECTS,
    Answer,
    Answers,
    Phrase,
    finite,
    infinitive,
    is_set_off,
    own_words,
    replaced,
    tokens,
)
from src.programs.decomposition.plans import Plan, facts, is_unsplit, mapped, record_split

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

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
    """Return a phrase as a question with the question word in front; None if the word order cannot be inverted.

    The question word and its noun are `phrase[at : at + length]`; `verb` is the verb of the phrase.
    """
    which_noun, before, after = phrase[at : at + length], _ended(phrase[:at]), _ended(phrase[at + length :])
    if not before:
        return (*which_noun, *after)
    carrier = _carrier(phrase, verb)
    if carrier is None:
        return None
    place, form = carrier
    if place >= at:  # the question word is the subject, after an adverbial
        return (*which_noun, *after, *before) if _is_adverbial(phrase[:at]) else None
    opening, subject = _opening(before[:place])
    rest = (*form[1:], *before[place + 1 :], *after, *opening)
    return (*which_noun, form[0], *subject, *rest) if subject else None


def can_be_asked(noun: "Token", verb: "Token") -> bool:
    """Return True if a question can ask for the noun: no clause, list or subject is between the noun and the verb."""
    while noun != verb:
        if noun.dep_ in SUBJECTS and noun.head == verb:
            return True
        if noun.dep_ not in _THROUGH or noun.head.lower_ == "than" or noun.head == noun:
            return False
        noun = noun.head
    return True


def _carrier(phrase: Phrase, verb: "Token") -> tuple[int, Phrase] | None:
    """Return the index of the finite verb in the phrase and the words that replace it; None if its form is unknown.

    In a question, the first of these words moves to the front; the others take the position of the verb: `wrote`
    becomes `did` and `write`.
    """
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
    """Return the adverbial before the comma and the subject after it; the adverbial is empty if there is none."""
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


TAKEN_UP = "taken_up"  # in a parsed claim's user_data: from the index of a noun to that of its first mention
_NEW = ("a", "an", "another", "this", "these")
_AGAIN = ("the", "this", "that", "these", "those")
_POINTING = ("this", "that", "these", "those")
_ALIKE = (
    {"film", "movie"}, {"band", "group"}, {"book", "novel"}, {"club", "squad", "team"}, {"series", "show", "sitcom"},
    {"artist", "musician", "singer"}, {"athlete", "player"},
)  # fmt: skip
_KINDS = ("amod", "compound", "nmod")
COMPARED = ("other", "same", "latter", "former")


def taken_up(claim: "Doc") -> tuple[dict[int, int], set[int]]:
    """Return the first mention of each noun that refers back (`the`, `this`, …), and the sentences with an unclear one.

    The mapping is from the index of a noun in the claim to the index of its first mention. A sentence is given by the
    index of its first word. A noun refers to the last noun of an earlier sentence with the same word and an article
    that can introduce it. The reference is unclear if no earlier noun fits, or if several may be meant.
    """
    first_mentions: dict[int, int] = {}
    unclear: set[int] = set()
    for noun in claim:
        if noun.pos_ != "NOUN" or article(noun) not in _AGAIN or noun.sent.start == 0:
            continue
        before = [one for one in claim[: noun.sent.start] if one.pos_ == "NOUN" and _is_same_kind(one, noun)]
        known = [one for one in before if one.tag_ == noun.tag_ and not _is_list(one)]
        new = [one for one in known if article(one) in (*_NEW, "the")]
        if new and not _is_described(noun):
            first_mentions[noun.i] = _first(new[-1], first_mentions)
        elif not _is_described(noun) and (before or _is_open(noun)):
            unclear.add(noun.sent.start)
    return first_mentions, unclear


def _is_same_kind(first: "Token", again: "Token") -> bool:
    """Return True if both nouns are the same word, or if the second points back to a synonym: `movie`, `that film`."""
    if first.lemma_ == again.lemma_:
        return True
    return article(again) in _POINTING and any({first.lemma_, again.lemma_} <= kind for kind in _ALIKE)


def _first(noun: "Token", first_mentions: dict[int, int]) -> int:
    return first_mentions.get(noun.i, noun.i)


def with_mentions(plan: Plan, claim: "Doc", known: Answers) -> Plan | int:
    """Return the plan with one placeholder for each noun that one fact introduces and another refers back to.

    If no fact can ask for the noun, its description is inserted into the other facts. If it has no description
    either, the index in the claim of the word that refers back is returned instead of a plan.
    """
    for noun in claim:
        again = [claim[at] for at, first in claim.user_data[TAKEN_UP].items() if first == noun.i]
        if not again and (noun.pos_ != "NOUN" or article(noun) not in _NEW):
            continue
        using = [phrase for phrase in facts(plan) if _uses(phrase, [noun, *again])]
        if noun.i in known:
            plan = _Naming(again, known[noun.i]).plan(plan)
        elif all(_uses(phrase, [noun]) for phrase in using) and len(using) < 2:
            continue
        elif placeholder := _placeholder(noun, again, using):
            record_split(noun)
            plan = _Naming((noun, *again), placeholder).plan(plan)
        elif again and (text := _description(noun)):
            plan = _Naming(again, text).plan(plan)
        elif again:
            place: int = again[0].i
            return place
    return plan


def _placeholder(noun: "Token", again: list["Token"], using: list[Phrase]) -> Answer | None:
    """Return the answer placeholder for a noun; its question is a fact with the noun. Return None without a question.

    The fact is one that introduces the noun, or else one with a later mention. `again` are the later mentions, `using`
    the phrases with the noun. A noun without a description is only asked for together with a later mention: `was born
    before the player. This player won the cup`.
    """
    is_new, is_bare = article(noun) in _NEW, article(noun) == "the" and _is_bare(noun)
    if not (is_new or is_bare) or is_unsplit(noun):
        return None
    more = _more(noun, again)
    questions = [_question(noun, phrase, more=more) for phrase in using if is_new and _brings(phrase, noun, again)]
    for other in again:
        others = [other, noun, *again]
        questions += [
            _question(other, phrase, noun) for phrase in using if _brings(phrase, other, others) and noun not in phrase
        ]
    return next((Answer(question) for question in questions if question), None)


def _more(noun: "Token", again: list["Token"]) -> list["Token"]:
    """Return the attributes that later mentions add to the noun: `Swedish` of `this Swedish band`."""
    known = {word.lemma_ for word in own_words(noun)}
    attributes = [word for other in again for child in other.lefts if child.dep_ in _KINDS for word in child.subtree]
    has_order = any(word.ent_type_ == "ORDINAL" for word in (*own_words(noun), *attributes))
    return (
        [] if has_order else [word for word in attributes if word.lemma_ not in known and word.lower_ not in COMPARED]
    )


def _is_bare(noun: "Token") -> bool:
    """Return True if the noun has neither a name nor a description."""
    return not _is_described(noun) and not any(word.pos_ in ("PROPN", "NUM") for word in own_words(noun))


def _description(noun: "Token") -> str:
    """Return a description of the noun: `the band that won` for `a band that won`.

    The result is empty if it adds nothing to the noun.
    """
    words, first = own_words(noun), article_word(noun)
    if not _is_described(noun) and not any(word.pos_ == "PROPN" for word in words):
        return ""
    if first is None or first != words[0] or first.lower_ in _POINTING or words[-1].i - first.i + 1 != len(words):
        return ""
    return f"the {noun.doc[first.i + 1 : words[-1].i + 1].text}"


def _uses(phrase: Phrase, nouns: list["Token"]) -> bool:
    return any(noun in phrase for noun in nouns) or any(
        _uses(piece.question, nouns) for piece in phrase if isinstance(piece, Answer)
    )


def _brings(phrase: Phrase, noun: "Token", again: list["Token"]) -> bool:
    """Return True if the fact contains the whole noun phrase of `noun`.

    Return False if a question inside the fact uses the noun or one of its later mentions, `again`.
    """
    questions = [piece.question for piece in phrase if isinstance(piece, Answer)]
    own = set(tokens(phrase))
    return all(word in own for word in own_words(noun)) and not any(_uses(one, [noun, *again]) for one in questions)


class _Naming:
    """Replacement of nouns by a placeholder or a description, also inside questions.

    Each question is asked only once.
    """

    def __init__(self, nouns: Iterable["Token"], by: Answer | str) -> None:
        self._nouns, self._by = tuple(nouns), by
        self._changed: dict[Answer, Answer] = {by: by} if isinstance(by, Answer) else {}

    def plan(self, plan: Plan) -> Plan:
        return mapped(plan, self._phrase)

    def _phrase(self, phrase: Phrase) -> Phrase:
        for noun in self._nouns:
            if noun in phrase:
                phrase = replaced(phrase, noun, self._by)
        return tuple(self._within(piece) if isinstance(piece, Answer) else piece for piece in phrase)

    def _within(self, answer: Answer) -> Answer:
        if answer not in self._changed:
            question = self._phrase(answer.question)
            self._changed[answer] = answer if question == answer.question else Answer(question)
        return self._changed[answer]


def _question(
    noun: "Token", phrase: Phrase, first: "Token | None" = None, more: Sequence["Token"] = ()
) -> Phrase | None:
    """Return the fact as a question that asks for the noun, with `which` for its article: `which band did she play in?`

    `first` is the mention that introduced the noun; its words are added, and so are those in `more`. Return None if the
    question would be unclear.
    """
    verb, words = verb_of(phrase), [word for word in own_words(noun) if word in phrase]
    places = [phrase.index(word) for word in words]
    is_whole = places == list(range(places[0], places[0] + len(places)))
    is_listed = any(word.text == "," for word in own_words(first or noun)) or _is_list(noun)
    if verb is None or is_listed or not is_whole or article_word(noun) != words[0] or not can_be_asked(noun, verb):
        return None
    which_noun: Phrase = (
        "which",
        *more,
        *(word for word in own_words(first or noun) if not _is_pointer(word, first or noun)),
    )
    turned = (*phrase[: places[0]], *which_noun, *phrase[places[-1] + 1 :])
    return fronted(turned, places[0], len(which_noun), verb)


def _is_pointer(word: "Token", noun: "Token") -> bool:
    """Return True if the word is left out of a question for the noun: its article, or `other`, `same` and the like."""
    return word.head == noun and (word.dep_ == "det" or word.lower_ in COMPARED)


def article_word(noun: "Token") -> "Token | None":
    return next((child for child in noun.children if child.dep_ == "det"), None)


def article(noun: "Token") -> str:
    articles = [child.lower_ for child in noun.children if child.dep_ == "det"]
    return articles[0] if len(articles) == 1 else ""


def _is_described(noun: "Token") -> bool:
    """Return True if the noun has modifiers that say which one is meant."""
    return any(child.dep_ in ("relcl", "acl", "prep", "appos") and not is_set_off(child) for child in noun.children)


def _is_list(noun: "Token") -> bool:
    return any(child.dep_ == "conj" for child in noun.children)


def _is_open(noun: "Token") -> bool:
    """Return True if it is unclear which thing the noun means.

    Examples are `this area`, `the other writer`, and `the owner` as a subject.
    """
    words = [child.lower_ for child in noun.children]
    is_named = any(word.pos_ in ("PROPN", "NUM") for word in noun.subtree)
    return article(noun) in _POINTING or bool(set(words) & set(COMPARED)) or (noun.dep_ in SUBJECTS and not is_named)
