"""Parses that are mended: in `the author of Snow and Karl Holm are Danes` the verb says that two are its subject."""

from typing import TYPE_CHECKING

from src.programs.planning.subjects import SUBJECTS
from src.programs.planning.verbs import finite

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_MANY = ("are", "were", "have", "share", "do")


def mend(claim: "Doc") -> None:
    """Join to a subject what was joined to a word inside it, where the verb is a plural and one word can be meant."""
    for subject in [word for word in claim if word.dep_ in SUBJECTS and _lacks_one(word)]:
        joined = [word for word in subject.subtree if word.i > subject.i and _is_joined(word)]
        if len(joined) == 1:
            link = joined[0].left_edge.nbor(-1)
            joined[0].head = link.head = subject


def _lacks_one(subject: "Token") -> bool:
    verb = finite(subject.head)
    is_one = subject.tag_ in ("NN", "NNP") and not any(child.dep_ == "conj" for child in subject.children)
    return is_one and verb is not None and verb.lower_ in _MANY


def _is_joined(word: "Token") -> bool:
    is_noun = word.dep_ == "conj" and word.pos_ in ("NOUN", "PROPN")
    return is_noun and word.left_edge.i > 0 and word.left_edge.nbor(-1).lower_ == "and"
