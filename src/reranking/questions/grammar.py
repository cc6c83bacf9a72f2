"""Grammar check of questions by parsing.

A grammatical question has a finite verb, begins as questions do, and its auxiliary fits its verb. These are rejected:
`Did the ferry sank?`, `Did the ferry has sunk?`, `When the ferry sank?`, `The ferry what did?`.

Limitations: the parser is small and makes errors, so only faults that it finds reliably count. Agreement in number
(`What was her views?`) is not checked. `Was the ferry cost?` passes: it parses like `Is the photo satire?`. English
only.
"""

import re
from typing import TYPE_CHECKING

from src.spacy_pipelines import FROM_PYPI, load

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token

WH_WORDS = frozenset({"how", "what", "when", "where", "which", "who", "whom", "whose", "why"})
DO = frozenset({"do", "does", "did"})
BE = frozenset({"is", "are", "was", "were", "am"})
HAVE = frozenset({"has", "have", "had"})
MODALS = frozenset({"can", "could", "may", "might", "must", "shall", "should", "will", "would"})
NEGATED = frozenset({"isn", "aren", "wasn", "weren", "don", "doesn", "didn", "hasn", "haven", "won", "wouldn"})
LEADING = frozenset(  # before the wh-word or in a phrase before it: `In which year`, `According to`
    {
        *("about", "according", "after", "although", "amongst", "approximately", "as", "at", "before", "besides"),
        *("between", "by", "during", "following", "for", "from", "given", "if", "in", "of", "on", "other", "out"),
        *("over", "per", "prior", "since", "so", "than", "the", "to", "under", "until", "using", "with", "within"),
    }
)
AUXILIARIES = DO | BE | HAVE | MODALS
OPENERS = WH_WORDS | AUXILIARIES | NEGATED | LEADING


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
_PAST_OR_THIRD_PERSON = frozenset({"VBD", "VBZ"})
_NOT_AFTER_HAVE = frozenset({"VB", "VBG", "VBZ"})
_ARTICLES = frozenset({"a", "an", "the"})
_ENDS_PHRASE = frozenset({",", "."})
_BEFORE_NOUN = frozenset({"what", "which", "whose"})
_DETERMINERS = frozenset({"DT", "PRP", "PRP$"})
_LEADING_TAGS = frozenset({"CC", "IN", "RB", "TO", "VBG", "VBN"})
_QUOTED = re.compile(r'"[^"]*"|“[^”]*”|(?<!\w)[\u2018\'][^\u2019\']*[\u2019\'](?!\w)')
_WRONG_ARTICLE = re.compile(r"\ba (?!euro|one\b|once\b|u[bn]i|us[ei]|ut|eu|u\b)[aeio]\w|\ban [bcdfgjklmnpqrtvwyz][a-z]")


def is_grammatical_question(text: str) -> bool:
    """Return True if the text parses as a question without a fault. Raises MissingExtra when the parser is missing."""
    language = question_parser()
    with language.memory_zone():  # otherwise every new word stays in memory
        return not _WRONG_ARTICLE.search(text) and _is_question(language(_QUOTED.sub("Arden", text), disable=["ner"]))


def question_parser() -> "Language":
    """Return the spaCy parser for questions. Raises MissingExtra when it is not installed."""
    return load(FROM_PYPI, ["lemmatizer"])


def _is_question(parse: "Doc") -> bool:
    words = [word for word in parse if not word.is_punct and not word.is_space]
    if not any(word.tag_ in FINITE or word.lower_ in AUXILIARIES for word in words):
        return False
    opener = _opener(words)
    if opener is None or _ends_in_auxiliary(words) or _lacks_predicate(words, opener):
        return False
    return not any(map(_mismatched, words)) and _is_inverted(words, opener)


def _opener(words: list["Token"]) -> int | None:
    """Return the position of the word that opens the question: a question word or an auxiliary; None if there is none.

    A leading phrase (`In Lund, who …`) may precede it.
    """
    if words[0].lower_ in WH_WORDS | AUXILIARIES:
        return 0
    is_led = words[0].tag_ in _LEADING_TAGS
    for place, word in enumerate(words[1:], start=1):
        ends_phrase = word.nbor(-1).text in _ENDS_PHRASE
        follows_lead = is_led and (word.lower_ in NEVER_RELATIVE or words[place - 1].tag_ in _LEADING_TAGS)
        if word.lower_ in WH_WORDS and (ends_phrase or follows_lead):
            return place
        if word.lower_ in AUXILIARIES and (ends_phrase or (is_led and _precedes_subject(word))):
            return place
    return None


def _precedes_subject(auxiliary: "Token") -> bool:
    """Return True if the clause of the auxiliary has a subject, and every subject comes after the auxiliary."""
    clause = [*auxiliary.children, *(auxiliary.head.children if auxiliary.dep_ in _AUXILIARY else ())]
    subjects = [word for word in clause if word.dep_ in _SUBJECT]
    return bool(subjects) and all(word.i > auxiliary.i for word in subjects)


def _ends_in_auxiliary(words: list["Token"]) -> bool:
    """Return True if the main verb is a finite auxiliary at the end: `What cost the ferry did?`"""
    last = words[-1]
    is_finite = last.lower_ in BE or (last.lower_ in DO | HAVE and last.tag_ in _PAST_OR_THIRD_PERSON)
    return last.head == last and is_finite


def _lacks_predicate(words: list["Token"], opener: int) -> bool:
    """Return True if only one noun follows the auxiliary: `Does the ferry?`, `Where did the ferry?`"""
    auxiliary = opener if words[opener].lower_ in AUXILIARIES else opener + 1
    rest = words[auxiliary + 1 :]
    if len(rest) != 2 or rest[0].lower_ not in _ARTICLES:
        return False
    return auxiliary == opener or (words[opener].tag_ == "WRB" and words[auxiliary].lower_ in DO)


def _mismatched(word: "Token") -> bool:
    """Return True for an auxiliary whose verb has a form that cannot follow it: `Did … sank`, `Did … has sunk`."""
    verb = word.head
    subjects = [child for child in verb.children if child.dep_ in _SUBJECT and word.i < child.i < verb.i]
    if word.dep_ not in _AUXILIARY or not subjects:  # without a subject, the parser took the subject for a verb
        return False
    auxiliaries = [child for child in verb.children if child.dep_ in _AUXILIARY and child.i > word.i]
    between = {child.lower_ for child in auxiliaries}
    if auxiliaries and word.lower_ in DO | MODALS and auxiliaries[0].lower_ in DO | BE | HAVE:
        return auxiliaries[0].tag_ in _PAST_OR_THIRD_PERSON
    if word.lower_ in DO:
        return verb.tag_ in {"VBD", "VBN", "VBZ"} and not between and verb.lower_ not in _SAME_IN_PAST
    if word.lower_ in MODALS:
        return verb.tag_ in {"VBD", "VBZ"} and not between and verb.lower_ not in _SAME_IN_PAST
    if word.lower_ in HAVE:
        return bool(between & HAVE) or (not between and verb.tag_ in _NOT_AFTER_HAVE)
    return word.lower_ in BE and verb.tag_ in {"VB", "VBZ"} and not between


def _is_inverted(words: list["Token"], opener: int) -> bool:
    """Return True if the question has the word order of one.

    A finite verb comes before the subject, or the question asks for the subject.
    """
    if words[opener].lower_ in AUXILIARIES:
        return len(words) > opener + 2 or any(word.dep_ in _SUBJECT for word in words)
    following = words[opener + 1 : opener + 2]
    if any(word.lower_ in AUXILIARIES for word in following):
        return True  # whatever the parse, which is often wrong for `When was the railway built?`
    if words[opener].lower_ in _BEFORE_NOUN and any(word.tag_ in _DETERMINERS for word in following):
        return False
    finite = [word for word in words[opener:] if word.tag_ in FINITE or word.lower_ in AUXILIARIES]
    if not finite:
        return False
    root = words[opener]
    while root.head != root:  # tokens are not the same object each time
        root = root.head
    subject = next((child for child in root.children if child.dep_ in _SUBJECT), None)
    if subject is None:
        return True
    is_name = subject.tag_ == "NNP" and words[opener].lower_ == "what"  # `What Biden …` does not ask for a Biden
    if not is_name and (words[opener] in subject.subtree or _asks_for(subject, words[opener:])):
        return True
    verbs = [child for child in root.children if child.dep_ in _AUXILIARY]
    return any(verb.i < subject.i for verb in [root, *verbs])


def _asks_for(subject: "Token", words: list["Token"]) -> bool:
    """Return True if only words of a name or noun are between the wh-word and the subject: `Which states have …?`"""
    between = [word for word in words[1:] if word.i <= subject.i]
    return words[0].lower_ in _BEFORE_NOUN and not any(word.tag_ in _DETERMINERS for word in between)
