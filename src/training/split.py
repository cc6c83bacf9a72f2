"""Split of the claims of AVeriTeC's train into training claims and held-out claims.

It depends only on the claim's text, so it is the same for every seed. A tenth is held out for early stopping,
calibration and all choices of settings. Claims that are also in dev (or another given split) are in neither part,
because scores on dev would be too good. Claims that repeat a held-out claim are not trained on. Texts with the same
words are the same claim. AVeriTeC's train and dev share eight texts, half of them with different punctuation (mostly a
full stop). In train they are thirteen claims.

A third of the held-out claims (`is_measured`) measures the stacked verdict, which is fitted on the others.

Limitations: a claim and its paraphrase may be in different parts.

Of HOVER's and FEVEROUS-S's claims, a fifth is held out. Claims that share gold pages form a group, which is held out as
a whole; the choice depends only on the alphabetically first title in the group.
"""

import hashlib
from collections.abc import Iterable, Sequence
from typing import TypeVar

import msgspec

from src.claims import LabelledClaim, groups
from src.errors import InputError
from src.records import Claim
from src.text import folded, same

HELD_OUT = 0.1
MEASURED = 1 / 3  # of the held-out claims

T = TypeVar("T")
LABELLED_HELD_OUT = 0.2


class Split(msgspec.Struct, frozen=True):
    """The training file's claims, split.

    `train`: claims to train on.
    `held_out`: held-out claims.
    `left_out`: number of claims that are not used because they are also in another split, such as dev.
    `repeated`: number of claims that are not used because they repeat a held-out claim.
    `unused`: number of claims that `share` leaves out.
    """

    train: list[Claim]
    held_out: list[Claim]
    left_out: int
    repeated: int
    unused: int

    @property
    def counts(self) -> dict[str, int]:
        """Return the number of claims for each use of them, such as "trained on" or "held out"."""
        return {
            "trained on": len(self.train),
            "held out": len(self.held_out),
            "left out, in the other split too": self.left_out,
            "left out, held out in other spelling": self.repeated,
            "unused": self.unused,
        }


def is_measured(claim: str) -> bool:
    """Return True if a held-out claim is reserved for measuring the stacked verdict, which is not fitted on it."""
    return number_of("measured", claim) < MEASURED


def split_claims(claims: Sequence[Claim], leave_out: Iterable[Claim] = (), share: float = 1.0) -> Split:
    """Split the claims into training and held-out claims, without the claims of `leave_out`.

    `share` is the share of the training claims that is used; the held-out claims are always all used. Raises InputError
    when there are no claims to train on, or none held out.
    """
    elsewhere = {same(claim.claim) for claim in leave_out}
    own = [claim for claim in claims if same(claim.claim) not in elsewhere]
    held_out = [claim for claim in own if is_held_out(claim.claim)]
    known = {same(claim.claim) for claim in held_out}
    rest = [claim for claim in own if same(claim.claim) not in known]
    used = [claim for claim in rest if number_of("share", claim.claim) < share]
    if not used or not held_out:
        raise InputError(f"{len(used)} claims to train on and {len(held_out)} held out are too few")
    repeated = len(own) - len(held_out) - len(rest)
    return Split(used, held_out, len(claims) - len(own), repeated, len(rest) - len(used))


def is_held_out(claim: str) -> bool:
    """Return True if a claim of AVeriTeC's train is held out, which depends only on its text."""
    return number_of("held out", claim) < HELD_OUT


def number_of(purpose: str, claim: str) -> float:
    """Return a pseudo-random number from 0 to 1 that depends only on the purpose and the claim.

    White space and case of the claim are ignored.
    """
    digest = hashlib.sha256(f"{purpose}\n{folded(claim)}".encode("utf-8", "backslashreplace")).digest()
    return int.from_bytes(digest[:8]) / 2**64


def evenly(items: Sequence[T], most: int) -> list[T]:
    """Return `most` of the items at even distances in their order, or all if there are no more."""
    if len(items) <= most:
        return list(items)
    return [items[place * len(items) // most] for place in range(most)]


class LabelledSplit(msgspec.Struct, frozen=True):
    """Claims of HOVER or FEVEROUS-S with evidence, split into training and held-out claims."""

    train: list[LabelledClaim]
    held_out: list[LabelledClaim]


def split_labelled(claims: Sequence[LabelledClaim]) -> LabelledSplit:
    """Split the claims that have gold passages; claims without them are left out (see the top of this module)."""
    with_text = [claim for claim in claims if claim.gold]
    titles = {claim.key: claim.titles or (claim.key,) for claim in with_text}
    held = {
        key
        for group in groups(titles)
        if number_of("held out", min(title for key in group for title in titles[key])) < LABELLED_HELD_OUT
        for key in group
    }
    return LabelledSplit(
        [claim for claim in with_text if claim.key not in held], [claim for claim in with_text if claim.key in held]
    )
