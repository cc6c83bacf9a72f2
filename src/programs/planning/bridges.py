"""Things that a claim describes and does not name, each asked for by a question of its own.

`The author of the novel that won the prize` becomes `Which novel won the prize?` and `Who is the author of {answer_1}?`
"""

from typing import TYPE_CHECKING

from src.programs.planning.mentions import article
from src.programs.planning.phrases import Answer, Phrase, Words, is_cut, replaced, tokens
from src.programs.planning.plans import Plan, mapped
from src.programs.planning.relative_clauses import statement
from src.programs.planning.subjects import ROLES, SUBJECTS, is_set_off
from src.programs.planning.verbs import auxiliaries

if TYPE_CHECKING:
    from spacy.tokens import Token

_SEVERAL = {"actor", "actress", "artist", "brother", "man", "musician", "player", "scientist", "sister", "woman"}
_UNASKED = ("attr", "poss", "conj", "appos", "ROOT")
_CLAUSES = ("relcl", "acl")
_KEPT = ("amod", "compound", "det", "nmod", "npadvmod", "nummod", "poss", "prep", "punct")


def with_answers(plan: Plan) -> Plan:
    """The plan with answers in the places of what is described; the same thing is asked for once."""
    known: _Answers = {}
    return mapped(plan, lambda phrase: _answered(phrase, known, None))


_Answers = dict[int, Answer]  # by the place of the noun that is asked for


def _answered(phrase: Phrase, known: _Answers, asked: "Token | None") -> Phrase:
    """Of nouns in each other the largest; the noun that is asked for itself is left."""
    for noun in tokens(phrase):
        if noun == asked or noun.pos_ not in ("NOUN", "PROPN"):
            continue
        rest = replaced(phrase, noun, Answer(()))
        question = None if noun.i in known or not _says(rest) else _question(noun, phrase)
        if question is not None:
            known[noun.i] = Answer(_answered(question, known, noun))
        if noun.i in known:
            return _answered(replaced(phrase, noun, known[noun.i]), known, asked)
    return phrase


def _says(phrase: Phrase) -> bool:
    return any(word.pos_ in ("VERB", "AUX") for word in tokens(phrase)) or any(isinstance(one, str) for one in phrase)


def _question(noun: "Token", phrase: Phrase) -> Phrase | None:
    """None where the noun is not described by a clause, a participle with `by`, or what it is the author of."""
    words, inside = tuple(noun.subtree), set(tokens(phrase))
    if noun.dep_ in _UNASKED or noun.tag_ not in ("NN", "NNP") or not all(word in inside for word in words):
        return None
    if noun.dep_ not in SUBJECTS and is_set_off(noun):
        return None
    if article(noun) != "the" or _is_ranked(noun):
        return None
    after = [child for child in noun.rights if child.dep_ in _CLAUSES]
    if len(after) > 1 or any(child.dep_ not in (*_KEPT, *_CLAUSES) for child in noun.children):
        return None
    if is_cut(words):
        return None
    if not after:
        return _role(noun, words)
    before = [word for word in words if word.i < after[0].left_edge.i]
    if any(word.text == "," or " " in word.text for word in before[:-1]) or any(
        word.i > after[0].right_edge.i and not word.is_punct for word in words
    ):
        return None
    return _asked(after[0], tuple(word for word in before if word.dep_ != "det" or word.head != noun))


def _asked(verb: "Token", named: Words) -> Phrase | None:
    which: Phrase = ("which", *(word for word in named if word.text != ","))
    if verb.dep_ == "acl":
        by = (
            not is_set_off(verb)
            and verb.tag_ == "VBN"
            and not auxiliaries(verb)
            and any(child.dep_ == "agent" for child in verb.children)
        )
        return (*which, "was", *verb.subtree) if by else None
    said = statement(verb, which)
    return said.phrase if said and (said.is_about or _is_of_a_name(verb)) else None


def _is_of_a_name(verb: "Token") -> bool:
    """Whether the clause is about someone, so that its question has one answer: `Berg plays for which team?`"""
    found = [child for child in verb.children if child.dep_ in SUBJECTS]
    return any(word.pos_ == "PROPN" or word.tag_ == "WP$" for child in found for word in child.subtree)


def _role(noun: "Token", words: Words) -> Phrase | None:
    """`the author of` a name, or of something that is described in its turn."""
    if noun.lemma_ not in ROLES - _SEVERAL or noun.right_edge == noun:
        return None
    of = [child for child in noun.rights if child.lower_ == "of"]
    objects = [child for one in of for child in one.children if child.dep_ == "pobj"]
    if len(of) != 1 or len(objects) != 1:
        return None
    inner = objects[0]
    if any(child.dep_ in ("conj", "cc") for child in inner.children):
        return None
    is_known = inner.pos_ == "PROPN" or _question(inner, tuple(inner.subtree)) is not None
    return ("who is", *words) if is_known else None


def _is_ranked(noun: "Token") -> bool:
    return any(child.tag_ in ("JJS", "RBS") or child.ent_type_ == "ORDINAL" for child in noun.children)
