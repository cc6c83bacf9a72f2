"""Sample of wrong predictions for annotation: equally many of each number of hops (ProgramFC, Table 2: 100 each)."""

import random
from collections.abc import Mapping, Sequence

from src.claims.labelled import LabelledClaim
from src.programs.annotation.classes import ProgramId
from src.programs.annotation.shown import Shown, shown
from src.programs.records import ClaimTrace, TwoLabel
from src.programs.scoring.error_classes import deciding
from src.programs.scoring.groups import ALL, by_hops


def drawn(
    golds: Sequence[LabelledClaim], traces: Sequence[ClaimTrace], per_hop: int, seed: int,
    written: Mapping[ProgramId, str],
) -> list[Shown]:  # fmt: skip
    """Return `per_hop` wrong predictions of each number of hops, or all if there are fewer, by claim_id.

    Claims without programs are left out. Claims without hops are one group. Traces must be in the order of the claims.
    """
    groups = by_hops(golds)
    if len(groups) > 1:
        del groups[ALL]
    found: list[Shown] = []
    for name, places in groups.items():
        wrong = [one for at in places for one in wrong_of(golds[at], traces[at], written)]
        found += random.Random(f"{seed} {name}").sample(wrong, min(per_hop, len(wrong)))
    return sorted(found, key=lambda one: one.claim_id)


def wrong_of(gold: LabelledClaim, trace: ClaimTrace, written: Mapping[ProgramId, str]) -> list[Shown]:
    """Return the claim's first program that voted for its value if that is wrong; else an empty list."""
    place = deciding(trace)
    if place is None or TwoLabel.of(trace.value) is TwoLabel.of(gold.value):
        return []
    return [shown(gold, trace, place, written.get((trace.claim_id, place), ""))]
