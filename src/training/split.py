"""Which claims are trained on and which are held out: decided by the claim's text alone, the same for every seed.

A tenth of train is held out for early stopping, calibration and every choice of a setting. Claims whose text stands in
another split (dev) are in neither part, or scores on that split would be too good. Equal texts fall on one side.

But: two texts that say the same in other words may fall on both sides.
"""

import hashlib
from collections.abc import Iterable, Sequence

import msgspec

from src.errors import InputError
from src.records import Claim

HELD_OUT = 0.1


class Split(msgspec.Struct, frozen=True):
    """`left_out` counts the claims that stand in the other split too, `unused` those that a `share` leaves aside."""

    train: list[Claim]
    held_out: list[Claim]
    left_out: int
    unused: int


def split_claims(claims: Sequence[Claim], leave_out: Iterable[Claim] = (), share: float = 1.0) -> Split:
    """`share` is the part of the training claims that is used; the held-out tenth is always whole.

    Raises InputError when nothing is left to train on, or nothing to choose by.
    """
    elsewhere = {same(claim.claim) for claim in leave_out}
    own = [claim for claim in claims if same(claim.claim) not in elsewhere]
    held_out = [claim for claim in own if is_held_out(claim.claim)]
    rest = [claim for claim in own if not is_held_out(claim.claim)]
    used = [claim for claim in rest if _number("share", claim.claim) < share]
    if not used or not held_out:
        raise InputError(f"{len(used)} claims to train on and {len(held_out)} held out are too few")
    return Split(used, held_out, len(claims) - len(own), len(rest) - len(used))


def is_held_out(claim: str) -> bool:
    return _number("held out", claim) < HELD_OUT


def same(text: str) -> str:
    """What two claims have in common that count as one: white space and case do not matter."""
    return " ".join(text.split()).casefold()


def _number(purpose: str, claim: str) -> float:
    """A number from 0 to 1 that the text decides, another for each purpose."""
    digest = hashlib.sha256(f"{purpose}\n{same(claim)}".encode("utf-8", "backslashreplace")).digest()
    return int.from_bytes(digest[:8]) / 2**64
