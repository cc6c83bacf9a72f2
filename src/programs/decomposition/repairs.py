"""Repairs of parses: in `the author of Snow and Karl Holm are Danes` the verb shows that its subject is two people."""

from typing import TYPE_CHECKING

from src.programs.decomposition.subjects import SUBJECTS
from src.programs.decomposition.titles import KINDS
from src.programs.decomposition.verbs import finite

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_NOUNS = (*SUBJECTS, "pobj", "dobj", "attr")
_MANY = ("are", "were", "have", "share", "do")


def mend(claim: "Doc") -> None:
    """Correct clear parsing errors: a title next to its kind, a list as subject without verb, a verb without subject.

    A word that was joined to a word inside the subject is joined to the subject itself. That requires a plural verb,
    and exactly one such word.
    """
    for title in [word for word in claim if _is_beside_kind(word)]:
        before = title.nbor(-1)
        title.dep_ = "pobj" if before.dep_ == "prep" else "appos"
        title.head = before
    for name in [word for word in claim if _is_second_subject(word)]:
        name.dep_, name.head = "appos", name.left_edge.nbor(-1)
    for root in [word for word in claim if word.dep_ == "ROOT" and word.pos_ in ("NOUN", "PROPN")]:
        _give_verb(root)
    for verb in [word for word in claim if word.dep_ == "advcl" and _has_lost_subject(word)]:
        _give_subject(verb)
    for subject in [word for word in claim if word.dep_ in SUBJECTS and _lacks_one(word)]:
        joined = [word for word in subject.subtree if word.i > subject.i and _is_joined(word)]
        if len(joined) == 1:
            link = joined[0].left_edge.nbor(-1)
            joined[0].head = link.head = subject
            joined[0].dep_ = "conj"


def _is_beside_kind(word: "Token") -> bool:
    """Return True for the title of `the film Then Came You` if it is parsed as a separate noun."""
    if word.i == 0 or " " not in word.text:
        return False
    kind = word.nbor(-1)
    if kind.dep_ == "prep":
        return word.dep_ == "punct" and word.head == kind
    if kind.lemma_ in KINDS and kind.head != word and word.head != kind:
        return word.dep_ == "punct" or not any(word.children)
    return kind.pos_ == "NOUN" and kind.head == word.head and kind.dep_ == word.dep_ and kind.dep_ in _NOUNS


def _is_second_subject(name: "Token") -> bool:
    """Return True for `The Arden` in `the founder of the band The Arden is a poet`, if it is parsed as a second
    subject."""
    if name.pos_ != "PROPN" or name.dep_ not in SUBJECTS or name.left_edge.i == 0:
        return False
    subjects = [child for child in name.head.children if child.dep_ in SUBJECTS]
    kind = name.left_edge.nbor(-1)
    return len(subjects) == 2 and subjects[1] == name and kind.pos_ == "NOUN" and subjects[0].is_ancestor(kind)


def _give_verb(root: "Token") -> None:
    """Make the verb the root in `the area where it grows, and Lorn are in Oslo`; the parser joins it to `area`."""
    verbs = [child for child in root.rights if child.dep_ == "conj" and finite(child) is not None]
    subjects = [child for verb in verbs for child in verb.lefts if child.dep_ in SUBJECTS]
    links = [child for child in root.rights if child.dep_ == "cc" and child.lower_ == "and"]
    word = finite(verbs[0]) if len(verbs) == 1 else None
    if word is None or word.lower_ not in _MANY or len(subjects) != 1 or len(links) != 1:
        return
    verb, second = verbs[0], subjects[0]
    if not links[0].i < second.left_edge.i or links[0].i + 1 != second.left_edge.i:
        return
    verb.head, verb.dep_ = verb, "ROOT"
    root.head, root.dep_ = verb, second.dep_
    second.head, second.dep_ = root, "conj"


def _has_lost_subject(verb: "Token") -> bool:
    """Return True for `died` in `Berg was born in Oslo and Holm died in Lorn` if `Oslo and Holm` is parsed as a
    list."""
    if verb.tag_ != "VBD" or verb.left_edge != verb or verb.i < 2 or verb.head.i > verb.i:
        return False
    name = verb.nbor(-1)
    return name.dep_ == "conj" and name.pos_ == "PROPN" and name.left_edge.nbor(-1).lower_ == "and"


def _give_subject(verb: "Token") -> None:
    name = verb.nbor(-1)
    link = name.left_edge.nbor(-1)
    name.head, name.dep_ = verb, "nsubj"
    link.head, verb.dep_ = verb.head, "conj"


def _lacks_one(subject: "Token") -> bool:
    verb = finite(subject.head)
    is_one = subject.tag_ in ("NN", "NNP") and not any(child.dep_ == "conj" for child in subject.children)
    return is_one and verb is not None and verb.lower_ in _MANY


def _is_joined(word: "Token") -> bool:
    is_noun = word.dep_ in ("conj", "appos") and word.pos_ in ("NOUN", "PROPN")
    return is_noun and word.left_edge.i > 0 and word.left_edge.nbor(-1).lower_ == "and"
