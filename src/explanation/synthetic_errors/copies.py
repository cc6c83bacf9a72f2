"""Numbered copies of clean explanations, with one synthetic error each."""

from collections.abc import Iterator, Sequence

from src.explanation.synthetic_errors.beside import replaced
from src.explanation.synthetic_errors.kinds import IN_A_SENTENCE, Kind
from src.explanation.synthetic_errors.planting import plant
from src.explanation.synthetic_errors.records import Error, PlantedClaim
from src.explanation.synthetic_errors.scene import Elsewhere, Scene
from src.explanation.synthetic_errors.word_lists import WordLists
from src.records import QAPair


def planted_copies(
    found: Sequence[Scene], kinds: Sequence[Kind], others: Elsewhere, lists: WordLists, seed: int = 0
) -> Iterator[PlantedClaim]:
    """Yield, for each explanation in turn, one copy of each kind of error that can be planted; claim_ids count
    from 0.
    """
    number = 0
    for scene in found:
        for kind in kinds:
            if (copy := _copy(scene, kind, others, lists, seed, number)) is not None:
                yield copy
                number += 1


def _copy(scene: Scene, kind: Kind, others: Elsewhere, lists: WordLists, seed: int, number: int) -> PlantedClaim | None:
    made = _in_a_sentence(scene, kind, others, lists, seed) if kind in IN_A_SENTENCE else _whole(scene, kind, others)
    if made is None:
        return None
    (text, error), evidence = made
    claim = scene.claim
    return PlantedClaim(
        number, claim.claim_id, claim.claim, claim.label, text, " ".join(scene.said), error, evidence, claim.source,
        claim.claim_date, claim.speaker,
    )  # fmt: skip


Made = tuple[tuple[str, Error], list[QAPair]]


def _in_a_sentence(scene: Scene, kind: Kind, others: Elsewhere, lists: WordLists, seed: int) -> Made | None:
    made = plant(scene, kind, others, lists, seed)
    return None if made is None else (made, scene.claim.evidence)


def _whole(scene: Scene, kind: Kind, others: Elsewhere) -> Made | None:
    made = replaced(scene.claim, kind, others.near)
    if made is None:
        return None
    return (made.text, Error(kind, kind.type, 0, 0, made.text, " ".join(scene.said))), made.evidence
