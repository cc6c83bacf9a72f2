"""The training examples of a tagger: sentences with and without a planted error, each with its premise.

Each explanation gives clean sentences and copies with errors. There are several copies in which a name or number of the
source replaces another, because few explanations allow this error. There are fewer copies of other kinds. Sentences
copied from rulings give all their clean sentences and fewer copies. The tagger then learns not to doubt copied names.
"""

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import NamedTuple

import msgspec

from src.explanation.checks.grounds import Grounds, premise
from src.explanation.synthetic_errors.planting import plant
from src.explanation.synthetic_errors.records import IN_A_SENTENCE, Error, Kind
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
APART = 1000  # difference of the seeds of a claim's copies of one kind


class TaggedSentence(msgspec.Struct, frozen=True):
    """A training example. `label` is an index into `LABELS`, 0 for a clean sentence.

    The characters `start` to `end` of `sentence` are the error.
    """

    text: Input
    sentence: str
    label: int
    start: int = 0
    end: int = 0
    kind: Kind | None = None


class Drawn(NamedTuple):
    """The mean number of copies of each kind, and the share of clean sentences, drawn from an explanation."""

    copies: Mapping[Kind, float]
    clean: float


JUSTIFICATIONS, RULINGS = Drawn(COPIES, 0.7), Drawn(OF_RULINGS, 1.0)
ONE_OF_EACH = Drawn(dict.fromkeys(IN_A_SENTENCE, 1.0), 1.0)  # for the held-out scores


def tagged(found: Sequence[Scene], others: Elsewhere, seed: int, drawn: Drawn) -> list[TaggedSentence]:
    """Return the examples of the scenes. The random choices depend on the seed and the claim."""
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
    """Return the example of the sentence with the error. If words were removed, the word behind them is the error."""
    said = sentences(text)
    sentence = said[error.sentence]
    start = error.start - sum(len(one) + 1 for one in said[: error.sentence])
    span = error.span.strip()
    start += len(error.span) - len(error.span.lstrip()) if span else 0
    end = start + len(span) if span else start + max(1, len(sentence[start:].split(" ")[0]))
    label = LABELS.index(error.type.value)
    return TaggedSentence((sentence, premise(sentence, grounds)), sentence, label, start, end, error.kind)
