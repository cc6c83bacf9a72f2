"""A claim as a pipeline meets it."""

from collections.abc import Sequence

import msgspec

from src.records import VERDICTS, Verdict
from src.stance.records import Passage

AVERITEC, RETRIEVED, PACK, CONTRAST = "AVeriTeC", "retrieved", "pack", "contrast"
SCENARIOS, CONTRARIES = "scenarios", "contraries"


class MetClaim(msgspec.Struct, frozen=True):
    """`part` is one of the six; `key` is the same for all variants of one claim."""

    part: str
    key: str
    claim: str
    passages: list[Passage]
    label: Verdict


def labels_of(claims: Sequence[MetClaim]) -> list[int]:
    """Return the places of the labels among the four verdicts."""
    return [VERDICTS.index(one.label) for one in claims]
