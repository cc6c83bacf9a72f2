"""What a tagger learns from: sentences with a planted error and without, each with what it is held against.

Of every explanation, besides its clean sentences, several copies with a name or number of the source in another's
place, which few explanations have room for, and one of some other kinds. Sentences copied from rulings stand beside
justifications: to know the names of what they copy, rather than to doubt them, all that are clean are learned from, and
few copies.
"""

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import NamedTuple

import msgspec

from src.explanation.checks.grounds import Grounds
from src.explanation.checks.premise import premise
from src.explanation.synthetic_errors.kinds import IN_A_SENTENCE, Kind
from src.explanation.synthetic_errors.planting import plant
from src.explanation.synthetic_errors.records import Error
from src.explanation.synthetic_errors.scene import Elsewhere, Scene
from src.explanation.synthetic_errors.word_lists import TRAIN
from src.models.evidence_rows import Input
from src.models.faithfulness import LABELS
from src.text import sentences

COPIES = {
    Kind.INTRINSIC_ENTITY: 3.0, Kind.INTRINSIC_NUMBER: 3.0, Kind.INTRINSIC_EVENT: 2.0, Kind.INTRINSIC_NOUN_PHRASE: 0.35,
    Kind.EXTRINSIC_ENTITY: 0.35, Kind.EXTRINSIC_NUMBER: 0.5, Kind.EXTRINSIC_EVENT: 0.12,
    Kind.EXTRINSIC_EVENT_ELSEWHERE: 0.15, Kind.EXTRINSIC_NOUN_PHRASE: 0.3, Kind.IRRELEVANT_EVIDENCE: 0.15,
    Kind.FLIPPED_CONCLUSION: 0.25, Kind.OVERGENERALISATION: 0.3,
}  # fmt: skip
OF_RULINGS = COPIES | {Kind.INTRINSIC_ENTITY: 1.0, Kind.INTRINSIC_NUMBER: 1.0, Kind.INTRINSIC_EVENT: 1.0}
APART = 1000  # of the seeds of a claim's copies of one kind


class TaggedSentence(msgspec.Struct, frozen=True):
    """`label` is a place in `LABELS`; 0: the sentence is clean. The characters `start` to `end` are the error."""

    text: Input
    sentence: str
    label: int
    start: int = 0
    end: int = 0
    kind: Kind | None = None


class Drawn(NamedTuple):
    """How much is drawn of each explanation: copies of each kind, a share of its clean sentences."""

    copies: Mapping[Kind, float]
    clean: float


JUSTIFICATIONS, RULINGS = Drawn(COPIES, 0.7), Drawn(OF_RULINGS, 1.0)
ONE_OF_EACH = Drawn(dict.fromkeys(IN_A_SENTENCE, 1.0), 1.0)  # to measure on


def tagged(found: Sequence[Scene], others: Elsewhere, seed: int, drawn: Drawn) -> list[TaggedSentence]:
    """What is drawn depends on the seed and the claim."""
    return [one for scene in found for one in _of_scene(scene, others, seed, drawn)]


def _of_scene(scene: Scene, others: Elsewhere, seed: int, drawn: Drawn) -> Iterator[TaggedSentence]:
    draw = Random(f"{seed}\n{scene.claim.claim}")
    grounds = Grounds.of(scene.claim)
    for said in scene.said:
        if draw.random() < drawn.clean:
            yield TaggedSentence((said, premise(said, grounds)), said, 0)
    for kind, most in drawn.copies.items():
        copies = int(most) + (draw.random() < most % 1)
        made = [plant(scene, kind, others, TRAIN, seed + APART * number) for number in range(copies)]
        for text, error in dict.fromkeys(one for one in made if one is not None):
            yield _planted(text, error, grounds)


def _planted(text: str, error: Error, grounds: Grounds) -> TaggedSentence:
    """The sentence alone. Where words were taken out, the word behind them is the error."""
    said = sentences(text)
    sentence = said[error.sentence]
    start = error.start - sum(len(one) + 1 for one in said[: error.sentence])
    span = error.span.strip()
    start += len(error.span) - len(error.span.lstrip()) if span else 0
    end = start + len(span) if span else start + max(1, len(sentence[start:].split(" ")[0]))
    label = LABELS.index(error.type.value)
    return TaggedSentence((sentence, premise(sentence, grounds)), sentence, label, start, end, error.kind)
