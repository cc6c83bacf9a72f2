"""Which claims of HOVER and FEVEROUS-S are trained on and which are held out: whole groups that share gold pages.

A fifth is held out, for early stopping and calibration; the first title of a group decides, the same for every seed.
"""

from collections.abc import Sequence

import msgspec

from src.claims.groups import groups
from src.claims.labelled import LabelledClaim
from src.training.split import number_of

HELD_OUT = 0.2


class LabelledSplit(msgspec.Struct, frozen=True):
    """Claims that have evidence."""

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
