"""The record of a claim with passages as in a pipeline, and folders of written records."""

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import TypeVar

import msgspec

from src.errors import InputError
from src.records import VERDICTS, Verdict
from src.stance.records import Passage

AVERITEC, RETRIEVED, PACK, CONTRAST = "AVeriTeC", "retrieved", "pack", "contrast"
SCENARIOS, CONTRARIES = "scenarios", "contraries"


Item = TypeVar("Item")


class MetClaim(msgspec.Struct, frozen=True):
    """A claim with passages. `part` is one of the six kinds above. `key` is the same for all variants of a claim."""

    part: str
    key: str
    claim: str
    passages: list[Passage]
    label: Verdict


def labels_of(claims: Sequence[MetClaim]) -> list[int]:
    """Return the indices of the labels among the four verdicts."""
    return [VERDICTS.index(one.label) for one in claims]


def drawn(items: Sequence[Item], most: int | None, seed: int) -> list[Item]:
    """Return `most` of the items in their order, drawn by the seed, or all if there are no more or `most` is None."""
    if most is None or len(items) <= most:
        return list(items)
    return [items[place] for place in sorted(Random(f"{seed}\ndrawn").sample(range(len(items)), most))]


def topic_files(folder: Path, kind: str) -> dict[str, Path]:
    """Return the `<topic>.jsonl` files of a folder by their roles, `<kind>_<topic>`, in order.

    Raises InputError when there are none.
    """
    found = {f"{kind}_{path.stem}": path for path in sorted(folder.glob("*.jsonl"))}
    if not found:
        raise InputError(f"has no {kind} (*.jsonl)", path=folder)
    return found
