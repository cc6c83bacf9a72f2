"""Which claims are trained on and which are held out: decided by the claim's text alone, the same for every seed.

A tenth of train is held out for early stopping, calibration and every choice of a setting. Claims that stand in another
split (dev), too, are in neither part, or scores on that split would be too good; those that a held-out claim repeats
are not trained on. Texts of the same words are the same claim: of AVeriTeC's, train and dev share eight, half of them
with other marks here than there (mostly a full stop), which are thirteen claims of train.

Of the held-out claims a third (`is_measured`) is kept from the stacked verdict too, which is fitted on the others.

But: two texts that say the same in other words may fall on both sides.
"""

import hashlib
from collections.abc import Iterable, Sequence

import msgspec

from src.errors import InputError
from src.records import Claim
from src.text import folded, same

HELD_OUT = 0.1
MEASURED = 1 / 3  # of the held-out claims


class Split(msgspec.Struct, frozen=True):
    """`left_out` counts the claims that stand in the other split too, `repeated` those that repeat a held-out one,
    `unused` those that a `share` leaves aside."""

    train: list[Claim]
    held_out: list[Claim]
    left_out: int
    repeated: int
    unused: int

    @property
    def counts(self) -> dict[str, int]:
        """How many claims, in words."""
        return {
            "trained on": len(self.train),
            "held out": len(self.held_out),
            "left out, in the other split too": self.left_out,
            "left out, held out in other spelling": self.repeated,
            "unused": self.unused,
        }


def is_measured(claim: str) -> bool:
    """Return True if the held-out claim is for measuring alone: nothing is fitted on it."""
    return number_of("measured", claim) < MEASURED


def split_claims(claims: Sequence[Claim], leave_out: Iterable[Claim] = (), share: float = 1.0) -> Split:
    """`share` is the part of the training claims that is used; the held-out tenth is always whole.

    Raises InputError when nothing is left to train on, or nothing to choose by.
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
    return number_of("held out", claim) < HELD_OUT


def number_of(purpose: str, claim: str) -> float:
    """From 0 to 1: the text decides, but for white space and case; another for each purpose."""
    digest = hashlib.sha256(f"{purpose}\n{folded(claim)}".encode("utf-8", "backslashreplace")).digest()
    return int.from_bytes(digest[:8]) / 2**64
