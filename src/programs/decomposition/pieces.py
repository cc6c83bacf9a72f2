"""Places where a claim is split, and places where it is kept together.

A place is the index of the word that heads a clause, a list, a separate sentence, or a thing that is asked for.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_KEPT, _PARTED = "kept_places", "parted_places"  # in a parsed claim's user_data


def begin(claim: "Doc", kept: Iterable[int]) -> None:
    """Forget where the claim was split before, and forbid splits at the `kept` places."""
    claim.user_data[_KEPT], claim.user_data[_PARTED] = frozenset(kept), set()


def is_kept(word: "Token") -> bool:
    """Return True if the claim must not be split at this word."""
    return word.i in word.doc.user_data[_KEPT]


def note(word: "Token") -> None:
    """Record that the claim was split at this word."""
    word.doc.user_data[_PARTED].add(word.i)


def parted(claim: "Doc") -> frozenset[int]:
    """Return the places where the last plan split the claim."""
    return frozenset(claim.user_data[_PARTED])
