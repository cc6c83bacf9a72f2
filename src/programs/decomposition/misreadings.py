"""Signs that the parser split a sentence in the wrong places; nothing derived from such a parse can be trusted."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from src.programs.decomposition.subjects import SUBJECTS, core
from src.programs.decomposition.verbs import disagrees

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_SIDE = ("relcl", "appos", "acl")


def is_misread(claim: "Span") -> bool:
    """Return True if a subject has lost one of its names, or a modifier continues after its end."""
    told = (child for child in claim if child.dep_ in _SIDE)
    return has_odd_subject(claim) or any(has_foreign_tail(child.subtree) for child in told)


def has_odd_subject(words: Iterable["Token"]) -> bool:
    """Return True for `Maria Berg were born`."""
    return any(word.dep_ in SUBJECTS and disagrees(word.head, core(word)) for word in words)


def has_foreign_tail(words: Iterable["Token"]) -> bool:
    """Return True if a name or preposition after a comma is joined to an unlike word: `is a singer, or by Berg`.

    The last of three or more does not count: `Lund, Oslo, and Bergen`.
    """
    return any(
        word.dep_ == "conj"
        and word.pos_ in ("PROPN", "ADP")
        and _is_behind_comma(word)
        and not _is_like(word, word.head)
        for word in words
    )


def _is_like(joined: "Token", first: "Token") -> bool:
    """Return True if the word continues a list, or repeats a preposition: `built in Lorn, or in Oslo`."""
    if joined.pos_ == "ADP" and any(child.lower_ == joined.lower_ for child in first.children if child != joined):
        return True
    return joined.pos_ == first.pos_ and first.dep_ == "conj"


def _is_behind_comma(joined: "Token") -> bool:
    at = joined.left_edge.i
    return at > 1 and joined.doc[at - 1].dep_ == "cc" and joined.doc[at - 2].text == ","
