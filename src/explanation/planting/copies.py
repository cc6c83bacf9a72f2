"""Copies of clean explanations with one planted error each, numbered."""

from collections.abc import Iterator, Sequence

from src.explanation.planting.kinds import Kind
from src.explanation.planting.planting import plant
from src.explanation.planting.records import PlantedClaim
from src.explanation.planting.scene import Elsewhere, Scene
from src.explanation.planting.word_lists import WordLists


def planted_copies(
    found: Sequence[Scene], kinds: Sequence[Kind], others: Elsewhere, lists: WordLists, seed: int = 0
) -> Iterator[PlantedClaim]:
    """Of each explanation in turn, of each kind that it has room for; claim_ids count them from 0."""
    number = 0
    for scene in found:
        for kind in kinds:
            if (copy := _copy(scene, kind, others, lists, seed, number)) is not None:
                yield copy
                number += 1


def _copy(scene: Scene, kind: Kind, others: Elsewhere, lists: WordLists, seed: int, number: int) -> PlantedClaim | None:
    made = plant(scene, kind, others, lists, seed)
    if made is None:
        return None
    claim = scene.claim
    return PlantedClaim(
        number, claim.claim_id, claim.claim, claim.label, made[0], " ".join(scene.said), made[1], claim.evidence,
        claim.source, claim.claim_date, claim.speaker,
    )  # fmt: skip
