"""Judges by a parse whether a text is a grammatical question.

A question has a finite verb, begins as questions do, and its auxiliary goes with its verb: `Did the ferry sank?`,
`When the ferry sank?` and `The ferry sank?` are none.

Limitations: the parser is small and errs. So only faults that it finds reliably count; agreement in number
(`What was her views?`) is not looked at. English only.
"""

import re
from functools import cache
from typing import TYPE_CHECKING

from src.reranking.questions.openers import AUXILIARIES, BE, DO, HAVE, MODALS, WH_WORDS
from src.spacy_pipelines import FROM_PYPI, load

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token

FINITE = frozenset({"MD", "VBD", "VBP", "VBZ"})
NEVER_RELATIVE = frozenset({"how", "what", "why"})  # `the man who …` is no question, `… how many` is one
_AUXILIARY = frozenset({"aux", "auxpass"})
_SUBJECT = frozenset({"expl", "csubj", "csubjpass", "nsubj", "nsubjpass"})
_SAME_IN_PAST = frozenset(  # verbs whose base form is also a past form
    {
        *("become", "bet", "broadcast", "burst", "cast", "come", "cost", "cut", "forecast", "hit", "hurt", "let"),
        *("overcome", "put", "quit", "read", "rid", "run", "set", "shed", "shut", "split", "spread", "upset"),
    }
)
_BEFORE_NOUN = frozenset({"what", "which", "whose"})
_DETERMINERS = frozenset({"DT", "PRP", "PRP$"})
_LEADING_TAGS = frozenset({"CC", "IN", "RB", "TO", "VBG", "VBN"})
_QUOTED = re.compile(r'"[^"]*"|“[^”]*”|(?<!\w)[\u2018\'][^\u2019\']*[\u2019\'](?!\w)')
_WRONG_ARTICLE = re.compile(r"\ba (?!euro|one\b|once\b|u[bn]i|us[ei]|ut|eu|u\b)[aeio]\w|\ban [bcdfgjklmnpqrtvwyz][a-z]")


def is_grammatical_question(text: str) -> bool:
    """Return True if the text parses as a question without a fault. Raises MissingExtra."""
    language = question_parser()
    with language.memory_zone():  # else every new word is kept for ever
        return not _WRONG_ARTICLE.search(text) and _is_question(language(_QUOTED.sub("Arden", text)))


@cache
def question_parser() -> "Language":
    """Return the parser, loaded once. Raises MissingExtra."""
    return load(FROM_PYPI, ["lemmatizer", "ner"])


def _is_question(parse: "Doc") -> bool:
    words = [word for word in parse if not word.is_punct and not word.is_space]
    if not any(word.tag_ in FINITE or word.lower_ in AUXILIARIES for word in words):
        return False
    opener = _opener(words)
    return opener is not None and not any(map(_mismatched, words)) and _is_inverted(words, opener)


def _opener(words: list["Token"]) -> int | None:
    """Return the place of the word that the question begins with, after a leading phrase where there is one."""
    if words[0].lower_ in WH_WORDS | AUXILIARIES:
        return 0
    is_led = words[0].tag_ in _LEADING_TAGS
    for place, word in enumerate(words[1:], start=1):
        after_phrase = word.nbor(-1).text == "," or (is_led and words[place - 1].tag_ in _LEADING_TAGS)
        if word.lower_ in NEVER_RELATIVE or (word.lower_ in WH_WORDS and after_phrase):
            return place
        if word.lower_ in AUXILIARIES and (word.nbor(-1).text == "," or _precedes_subject(word)):
            return place
    return None


def _precedes_subject(auxiliary: "Token") -> bool:
    clause = [*auxiliary.children, *(auxiliary.head.children if auxiliary.dep_ in _AUXILIARY else ())]
    subjects = [word for word in clause if word.dep_ in _SUBJECT]
    return bool(subjects) and all(word.i > auxiliary.i for word in subjects)


def _mismatched(word: "Token") -> bool:
    """Return True for an auxiliary whose verb has a form that does not follow it: `Did … sank`, `Has … have`."""
    verb = word.head
    subjects = [child for child in verb.children if child.dep_ in _SUBJECT and word.i < child.i < verb.i]
    if word.dep_ not in _AUXILIARY or not subjects:  # without one the subject itself was taken for a verb
        return False
    between = {child.lower_ for child in verb.children if child.dep_ in _AUXILIARY and child.i > word.i}
    if word.lower_ in DO:
        return verb.tag_ in {"VBD", "VBN", "VBZ"} and not between and verb.lower_ not in _SAME_IN_PAST
    if word.lower_ in MODALS:
        return verb.tag_ in {"VBD", "VBZ"} and not between and verb.lower_ not in _SAME_IN_PAST
    if word.lower_ in HAVE:
        return bool(between & HAVE)
    return word.lower_ in BE and verb.tag_ in {"VB", "VBZ"} and not between


def _is_inverted(words: list["Token"], opener: int) -> bool:
    """Return True if a finite verb comes before the subject, or the subject is what is asked for."""
    if words[opener].lower_ in AUXILIARIES:
        return len(words) > opener + 2 or any(word.dep_ in _SUBJECT for word in words)
    finite = [word for word in words[opener:] if word.tag_ in FINITE or word.lower_ in AUXILIARIES]
    if not finite:
        return False
    root = words[opener]
    while root.head != root:  # tokens are not the same object each time
        root = root.head
    subject = next((child for child in root.children if child.dep_ in _SUBJECT), None)
    if subject is None or words[opener] in subject.subtree or _asks_for(subject, words[opener:]):
        return True
    verbs = [child for child in root.children if child.dep_ in _AUXILIARY]
    return any(verb.i < subject.i for verb in [root, *verbs])


def _asks_for(subject: "Token", words: list["Token"]) -> bool:
    """Return True if only words of a name or noun are between the wh-word and the subject: `Which states have …?`"""
    between = [word for word in words[1:] if word.i <= subject.i]
    return words[0].lower_ in _BEFORE_NOUN and not any(word.tag_ in _DETERMINERS for word in between)
