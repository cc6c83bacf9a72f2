"""Reader of the stance of each passage toward a claim, by an entailment model or a verdict model.

Each passage is read alone, as the premise; the claim is the hypothesis. A passage that repeats the claim
(`restatement.py`) is on no side, unless it contradicts the claim: then it quotes the claim to correct it.
"""

from collections.abc import Sequence
from pathlib import Path

from src.models.classifier import CachedClassifier
from src.models.entailment import Entailed, Entailment, Premise, load_reading
from src.records import Side
from src.stance.records import ON_A_SIDE, Passage, Stance
from src.stance.restatement import repeats

READER = Path("pretrained_models/adapters/reader")
ClaimPassages = tuple[str, Sequence[Passage]]


class StanceReader:
    """Reader of passages: determines the stance of each passage toward its claim."""

    def __init__(self, model: Entailment) -> None:
        self.model = model
        self.info = model.info

    def stances(self, claims: Sequence[ClaimPassages]) -> list[tuple[Stance, ...]]:
        """Return the stance of each passage of each claim, in order. Each passage is read alone.

        Raises ModelError if the model fails.
        """
        premises = [Premise([("", one.text)], claim) for claim, passages in claims for one in passages]
        probabilities = iter(self.model.scores(premises) if premises else [])
        return [tuple(_stance_of(claim, one, next(probabilities)) for one in passages) for claim, passages in claims]


def _stance_of(claim: str, passage: Passage, probabilities: Entailed) -> Stance:
    """Return the stance of a passage; it is on no side if it repeats the claim and does not contradict it."""
    is_repeating = probabilities.contradict <= probabilities.entail and repeats(claim, passage)
    return stance(probabilities, is_repeating=is_repeating)


def stance(probabilities: Entailed, *, is_repeating: bool = False) -> Stance:
    """Return the stance that follows from a passage's probabilities of entailment and contradiction.

    `is_repeating` is True if the passage only repeats the claim.
    """
    if is_repeating:
        side = Side.REPEATS
    elif max(probabilities.entail, probabilities.contradict) < ON_A_SIDE:
        side = Side.NEITHER
    else:
        side = Side.FOR if probabilities.entail >= probabilities.contradict else Side.AGAINST
    return Stance(side, round(probabilities.entail, 4), round(probabilities.contradict, 4))


def load_stance_reader(folder: Path, dtype: str | None = None, device: str | None = None) -> StanceReader:
    """Load a stance reader that caches its last results.

    Raises InputError if the folder has no such model, MissingExtra if its base model is missing.
    """
    return StanceReader(Entailment(CachedClassifier(load_reading(folder, dtype, device))))
