"""Planting of one error into a clean explanation."""

from collections.abc import Callable, Mapping
from random import Random

from src.explanation.synthetic_errors import events, extrinsic, intrinsic, reasoning
from src.explanation.synthetic_errors.kinds import Kind
from src.explanation.synthetic_errors.records import Error
from src.explanation.synthetic_errors.scene import Edit, Elsewhere, Scene
from src.explanation.synthetic_errors.word_lists import WordLists
from src.text import sentences

Planter = Callable[[Scene, Elsewhere, WordLists, Random], Edit | None]
PLANTERS: Mapping[Kind, Planter] = {
    Kind.EXTRINSIC_ENTITY: extrinsic.entity,
    Kind.EXTRINSIC_NUMBER: extrinsic.number,
    Kind.OVERGENERALISATION: reasoning.overgeneralisation,
    Kind.IRRELEVANT_EVIDENCE: reasoning.irrelevant_evidence,
    Kind.FLIPPED_CONCLUSION: reasoning.flipped_conclusion,
    Kind.EXTRINSIC_EVENT: extrinsic.event,
    Kind.EXTRINSIC_EVENT_ELSEWHERE: extrinsic.event_elsewhere,
    Kind.EXTRINSIC_NOUN_PHRASE: extrinsic.noun_phrase,
    Kind.INTRINSIC_ENTITY: intrinsic.entity,
    Kind.INTRINSIC_NUMBER: intrinsic.number,
    Kind.INTRINSIC_EVENT: events.event,
    Kind.INTRINSIC_NOUN_PHRASE: intrinsic.noun_phrase,
}


def plant(scene: Scene, kind: Kind, others: Elsewhere, lists: WordLists, seed: int) -> tuple[str, Error] | None:
    """Return the explanation with one error of the kind, and the error; None if the explanation has no place for it.

    Random choices depend only on the seed, the claim and the kind. Sentences are joined by a space.
    """
    draw = Random(f"{seed}\n{kind}\n{scene.claim.claim_id}\n{scene.claim.claim}")
    edit = PLANTERS[kind](scene, others, lists, draw)
    return None if edit is None else _applied(scene, kind, edit)


def _applied(scene: Scene, kind: Kind, edit: Edit) -> tuple[str, Error] | None:
    """Return the edited explanation and its error; None if more than one sentence would differ from the twin."""
    said, at = list(scene.said), edit.sentence
    was = ""
    if edit.whole:
        said.insert(at, edit.text)
    else:
        was = said[at][edit.start : edit.end]
        said[at] = said[at][: edit.start] + edit.text + said[at][edit.end :]
    text = " ".join(said)
    if sentences(text) != said or text == " ".join(scene.said):
        return None
    start = sum(len(one) + 1 for one in said[:at]) + edit.start
    return text, Error(kind, kind.type, at, start, edit.text, was)
