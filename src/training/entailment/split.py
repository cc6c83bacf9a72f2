"""The split of HOVER's and FEVEROUS-S's claims into training claims and held-out claims, by groups that share gold
pages.

A fifth is held out for early stopping and calibration. The choice depends on the first title of a group, and is the
same for every seed.
"""

from collections.abc import Sequence

import msgspec

from src.claims.labelled import LabelledClaim, groups
from src.training.split import number_of

HELD_OUT = 0.2


class LabelledSplit(msgspec.Struct, frozen=True):
    """The two parts of the claims that have evidence."""

    train: list[LabelledClaim]
    held_out: list[LabelledClaim]


def split_labelled(claims: Sequence[LabelledClaim]) -> LabelledSplit:
    with_text = [claim for claim in claims if claim.gold]
    titles = {claim.key: claim.titles or (claim.key,) for claim in with_text}
    held = {
        key
        for group in groups(titles)
        if number_of("held out", min(title for key in group for title in titles[key])) < HELD_OUT
        for key in group
    }
    return LabelledSplit(
        [claim for claim in with_text if claim.key not in held], [claim for claim in with_text if claim.key in held]
    )
