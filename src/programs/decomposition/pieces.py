"""The places at which a claim is taken apart, and those at which it is kept together.

A place is the word of the claim that heads a clause, a list or a sentence of its own, or that is asked for.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_KEPT, _PARTED = "kept_places", "parted_places"  # in a parsed claim's user_data


def begin(claim: "Doc", kept: Iterable[int]) -> None:
    """Forget where the claim was taken apart before, and keep it together at these places."""
    claim.user_data[_KEPT], claim.user_data[_PARTED] = frozenset(kept), set()


def is_kept(word: "Token") -> bool:
    """Return True where the claim must not be taken apart."""
    return word.i in word.doc.user_data[_KEPT]


def note(word: "Token") -> None:
    """Note that the claim was taken apart here."""
    word.doc.user_data[_PARTED].add(word.i)


def parted(claim: "Doc") -> frozenset[int]:
    """Return the places where the last plan took the claim apart."""
    return frozenset(claim.user_data[_PARTED])
