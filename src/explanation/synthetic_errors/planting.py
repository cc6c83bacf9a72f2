"""Planting of errors into clean explanations: copies with one error each, numbered from 0.

Two kinds of errors replace the whole explanation by a text that does not bear on the claim. The text is from another
claim: the lexically nearest one that has a usable text. Such a copy has the evidence of both claims. Each of its
sentences is therefore in its evidence, and that it does not bear on the claim is its only error.

Limitations: AVeriTeC's train and dev splits are published without pages; the true sentence is therefore one of another
claim's gold answers. Claims of Not Enough Evidence have no such copy: their explanation may be based on something that
does not decide the claim.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import NamedTuple

from src.explanation.checks.rules import speaks_of_task
from src.explanation.labels import conclusion
from src.explanation.pieces import is_answered, pieces
from src.explanation.records import ExplainedClaim
from src.explanation.synthetic_errors import edits
from src.explanation.synthetic_errors.records import IN_A_SENTENCE, Error, Kind, PlantedClaim
from src.explanation.synthetic_errors.scene import LONGEST, SHORTEST, Edit, Elsewhere, Neighbors, Scene
from src.explanation.synthetic_errors.word_lists import WordLists
from src.explanation.text import without_end
from src.records import QAPair, Verdict
from src.reranking.hybrid.own_words import own_words
from src.text import sentences

Planter = Callable[[Scene, Elsewhere, WordLists, Random], Edit | None]
PLANTERS: Mapping[Kind, Planter] = {
    Kind.EXTRINSIC_ENTITY: edits.extrinsic_entity,
    Kind.EXTRINSIC_NUMBER: edits.extrinsic_number,
    Kind.OVERGENERALISATION: edits.overgeneralisation,
    Kind.IRRELEVANT_EVIDENCE: edits.irrelevant_evidence,
    Kind.FLIPPED_CONCLUSION: edits.flipped_conclusion,
    Kind.EXTRINSIC_EVENT: edits.extrinsic_event,
    Kind.EXTRINSIC_EVENT_ELSEWHERE: edits.extrinsic_event_elsewhere,
    Kind.EXTRINSIC_NOUN_PHRASE: edits.extrinsic_noun_phrase,
    Kind.INTRINSIC_ENTITY: edits.intrinsic_entity,
    Kind.INTRINSIC_NUMBER: edits.intrinsic_number,
    Kind.INTRINSIC_EVENT: edits.intrinsic_event,
    Kind.INTRINSIC_NOUN_PHRASE: edits.intrinsic_noun_phrase,
}


def plant(scene: Scene, kind: Kind, others: Elsewhere, lists: WordLists, seed: int) -> tuple[str, Error] | None:
    """Return the explanation with one error of the kind, and the error; None if the explanation has no suitable place.

    Random choices depend only on the seed, the claim and the kind. Sentences are joined by a space.
    """
    draw = Random(f"{seed}\n{kind}\n{scene.claim.claim_id}\n{scene.claim.claim}")
    edit = PLANTERS[kind](scene, others, lists, draw)
    return None if edit is None else _applied(scene, kind, edit)


def _applied(scene: Scene, kind: Kind, edit: Edit) -> tuple[str, Error] | None:
    """Return the edited explanation and its error; None if the edit changes more than one sentence."""
    edited, at = list(scene.sentences), edit.sentence
    was = ""
    if edit.whole:
        edited.insert(at, edit.text)
    else:
        was = edited[at][edit.start : edit.end]
        edited[at] = edited[at][: edit.start] + edit.text + edited[at][edit.end :]
    text = " ".join(edited)
    if sentences(text) != edited or text == " ".join(scene.sentences):
        return None
    start = sum(len(one) + 1 for one in edited[:at]) + edit.start
    return text, Error(kind, kind.type, at, start, edit.text, was)


class Replaced(NamedTuple):
    """A text that replaces the whole explanation, and the evidence that it is checked with."""

    text: str
    evidence: list[QAPair]


def replaced(claim: ExplainedClaim, kind: Kind, near: Neighbors) -> Replaced | None:
    """Return a text that does not bear on the claim, to replace its explanation; None if no similar claim has a usable
    text. `near` finds the similar claims.
    """
    if claim.label == Verdict.NOT_ENOUGH_EVIDENCE or not claim.evidence:
        return None
    for other in near.of(claim):
        text = _justification(other) if kind is Kind.OTHER_JUSTIFICATION else _idle_sentence(claim, other)
        if text:
            return Replaced(text, [*claim.evidence, *other.evidence])
    return None


def _justification(other: ExplainedClaim) -> str:
    """Return the explanation of another claim; empty if it is short, undecided, or refers to its claim or evidence and
    so would fit any claim.
    """
    text = " ".join((other.explanation or "").split())
    is_open = other.label == Verdict.NOT_ENOUGH_EVIDENCE
    return text if len(text.split()) >= SHORTEST and not speaks_of_task(text) and not is_open else ""


def _idle_sentence(claim: ExplainedClaim, other: ExplainedClaim) -> str:
    """Return the sentence of another claim's answers that shares most words with this claim, followed by the verdict,
    as templates write it.
    """
    texts = (text for piece in pieces(other) if is_answered(piece) for text in sentences(piece.text))
    fitting = [text for text in texts if text.endswith(".") and SHORTEST <= len(text.split()) <= LONGEST]
    wanted = set(own_words(claim.claim))
    best = max(fitting, key=lambda text: len(wanted & set(own_words(text))), default="")
    return f"{without_end(best)}; {conclusion(claim.label)}." if best else ""


def planted_copies(
    scenes: Sequence[Scene], kinds: Sequence[Kind], others: Elsewhere, lists: WordLists, seed: int = 0
) -> Iterator[PlantedClaim]:
    """Yield the copies of all explanations, one for each kind of error that can be planted in an explanation. The
    claim_ids of the copies count from 0.
    """
    number = 0
    for scene in scenes:
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
        number, claim.claim_id, claim.claim, claim.label, text, " ".join(scene.sentences), error, evidence,
        claim.source, claim.claim_date, claim.speaker,
    )  # fmt: skip


Made = tuple[tuple[str, Error], list[QAPair]]


def _in_a_sentence(scene: Scene, kind: Kind, others: Elsewhere, lists: WordLists, seed: int) -> Made | None:
    made = plant(scene, kind, others, lists, seed)
    return None if made is None else (made, scene.claim.evidence)


def _whole(scene: Scene, kind: Kind, others: Elsewhere) -> Made | None:
    made = replaced(scene.claim, kind, others.near)
    if made is None:
        return None
    return (made.text, Error(kind, kind.type, 0, 0, made.text, " ".join(scene.sentences))), made.evidence
