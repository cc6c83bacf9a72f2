"""Which sentences of a text can be checked: statements of fact about something named or counted, by rules.

Opinions, questions, predictions and wishes are left out, as in the guidelines of ClaimBuster (Hassan et al. 2017). The
score orders the others by how much there is to check in them: numbers and names.

Limitations: English; by spaCy's small parser, which errs. Irony and quoted opinions are not recognized.
"""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

FEWEST_WORDS, MOST_WORDS = 4, 60
NAMED = {"PERSON", "NORP", "ORG", "GPE", "LOC", "FAC", "PRODUCT", "EVENT", "LAW", "WORK_OF_ART"}
COUNTED = {"CARDINAL", "MONEY", "PERCENT", "QUANTITY", "ORDINAL", "DATE"}
_OPINION = {"believe", "feel", "guess", "hope", "like", "love", "prefer", "suppose", "think", "want", "wish", "wonder"}
_IN_MY_OPINION = re.compile(r"\b(?:in|to) (?:my|our) (?:opinion|view|mind)\b", re.IGNORECASE)
_NOT_NOW = {"will", "'ll", "shall", "should", "may", "might", "would", "must"}
_NOT_SAID = {"will", "'ll", "shall", "should", "must"}  # `would` in what someone said may be a fact
_SUBJECTS = ("nsubj", "nsubjpass", "csubj", "expl")
_CLAUSES = ("nsubj", "nsubjpass", "csubj", "ccomp", "advcl", "acl", "relcl", "pcomp")  # with a verb of their own
_ASKS = {"how", "what", "when", "where", "which", "who", "whom", "whose", "why"}
_ASKING_VERBS = {"are", "can", "could", "did", "does", "has", "is", "was"}  # no statement begins with one
_NOUNS_TOO = {"can", "do"}  # before a finite verb they are no auxiliaries: `Can openers sold …`, `Do Kwon founded …`
_OPENING = '"\u201c\u2018'
_QUOTES = "\"'\u201c\u201d\u2018\u2019"
_FINITE = {"VBD", "VBP", "VBZ"}
SAYS = {"add", "announce", "argue", "assert", "claim", "declare", "report", "say", "state", "tell", "warn", "write"}


class Worth(NamedTuple):
    """Whether a sentence can be checked.

    `score`: how much there is to check: a point for each name, two for each number.
    `reason`: why a sentence of its kind is left out, or "".
    """

    score: int
    reason: str = ""


def worth_of(sentence: "Span") -> Worth:
    """Return whether a parsed sentence can be checked.

    Capitalized names that the pipeline has not found count as one if there is no other name or number.
    """
    names = sum(entity.label_ in NAMED for entity in sentence.ents)
    numbers = sum(entity.label_ in COUNTED for entity in sentence.ents)
    has_proper_noun = any(word.pos_ == "PROPN" and not word.text.islower() for word in sentence)
    return Worth(names + 2 * numbers or int(has_proper_noun), _reason(sentence))


def _reason(sentence: "Span") -> str:
    words = [token for token in sentence if not token.is_punct and not token.is_space]
    root = sentence.root
    if _is_question(sentence, words):
        return "a question"
    if not FEWEST_WORDS <= len(words) <= MOST_WORDS:
        return "too short" if len(words) < FEWEST_WORDS else "too long"
    if sentence.text.rstrip().endswith(":") or not _is_statement(sentence):
        return "no statement"
    subjects = [child for child in root.children if child.dep_ in _SUBJECTS]
    is_own = root.lemma_ in _OPINION and any(one.lower_ in ("i", "we") for one in subjects)
    if is_own or _IN_MY_OPINION.search(sentence.text):
        return "an opinion"
    if any(one.lower_ in ("i", "we", "you") for one in subjects):
        return "about whoever writes or reads"
    said = [child for child in root.children if child.dep_ == "ccomp" and root.lemma_ in SAYS]
    if _is_expected(root) or _has_modal(root, _NOT_NOW) or any(_has_modal(one, _NOT_SAID) for one in said):
        return "a prediction, a wish or a possibility"
    return ""


def _is_question(sentence: "Span", words: Sequence["Token"]) -> bool:
    """Return True for a question, also without a question mark: `Did it rain`, `How many came`."""
    if sentence.text.rstrip("\"'\u201d\u2019) ").endswith("?"):
        return True
    first, root = words[0] if words else None, sentence.root
    is_acronym = first is not None and _is_acronym(first) and not sentence.text.isupper()
    if first is None or is_acronym or (first.lower_ in _NOUNS_TOO and root.tag_ in ("VBD", "VBZ")):
        return False
    if first.lower_ in _ASKS:
        return not any(one.dep_ in _CLAUSES and one.pos_ in ("VERB", "AUX") for one in _up_to_root(first))
    if first.lower_ in _ASKING_VERBS:
        return True
    asked = root if first.i == root.i else first.head
    inverted = any(one.dep_ in _SUBJECTS and one.i > first.i for one in asked.children)
    return first.pos_ == "AUX" and first.tag_ in _FINITE and inverted


def _is_acronym(word: "Token") -> bool:
    """Return True for `WHO`, `IS`; not for `A`."""
    return len(word) > 1 and word.text.isupper()


def _up_to_root(word: "Token") -> Iterator["Token"]:
    while word.head.i != word.i:
        yield word
        word = word.head


def _is_statement(sentence: "Span") -> bool:
    """Return True if the sentence has a verb with a subject outside of relative and adverbial clauses."""
    root = sentence.root
    if any(child.dep_ in _SUBJECTS for child in root.children):
        return True
    return any(
        word.tag_ in _FINITE
        and word.dep_ not in ("advcl", "acl", "relcl")
        and any(child.dep_ in _SUBJECTS for child in word.children)
        for word in sentence
    )


def _is_expected(verb: "Token") -> bool:
    """Return True for `is expected to be sold`; not for plans, which are facts about those who have them."""
    return verb.lemma_ == "expect" and any(child.dep_ == "xcomp" for child in verb.children)


def _has_modal(verb: "Token", modals: set[str]) -> bool:
    return any(child.dep_ == "aux" and child.lower_ in modals for child in verb.children)
