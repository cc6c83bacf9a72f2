"""Reads the stance of each passage to a claim with an entailment model.

Each passage is read alone, as the premise; the claim is the hypothesis. A passage that repeats the claim
(`restatement.py`) is on no side, unless it contradicts the claim: then it quotes the claim in order to correct it.
"""

from collections.abc import Sequence
from pathlib import Path

from src.models.entailment import Entailed, Entailment, Premise
from src.stance.records import Passage, Side, Stance
from src.stance.restatement import repeats

READER = Path("pretrained_models/adapters/reader")
SURE = 0.5  # probability from which a passage is on a side
MOST_KEPT = 4096  # readings


ClaimPassages = tuple[str, Sequence[Passage]]


class StanceReader:
    """An entailment model that reads claims with their passages. The last readings are kept and not asked again."""

    def __init__(self, model: Entailment) -> None:
        self.model = model
        self._kept: dict[tuple[str, tuple[Passage, ...]], Entailed] = {}
        self.info = model.info

    def stances(self, claims: Sequence[ClaimPassages]) -> list[tuple[Stance, ...]]:
        """Return the stance of each passage of each claim, read alone, in order. Raises ModelError."""
        if len(self._kept) > MOST_KEPT:
            self._kept.clear()
        self._ask([(claim, (one,)) for claim, passages in claims for one in passages])
        return [
            tuple(stance(self._kept[claim, (one,)], is_repeating=self._repeats(claim, one)) for one in passages)
            for claim, passages in claims
        ]

    def _repeats(self, claim: str, passage: Passage) -> bool:
        found = self._kept[claim, (passage,)]
        return found.contradict <= found.entail and repeats(claim, passage.text, passage.url)

    def _ask(self, asked: Sequence[tuple[str, tuple[Passage, ...]]]) -> None:
        new = list(dict.fromkeys(one for one in asked if one not in self._kept))
        premises = [Premise([("", passage.text) for passage in passages], claim) for claim, passages in new]
        self._kept |= zip(new, self.model.scores(premises) if premises else [], strict=True)


def stance(found: Entailed, *, is_repeating: bool = False) -> Stance:
    """Return the stance that the probabilities mean."""
    if is_repeating:
        side = Side.REPEATS
    elif max(found.entail, found.contradict) < SURE:
        side = Side.NEITHER
    else:
        side = Side.FOR if found.entail >= found.contradict else Side.AGAINST
    return Stance(side, round(found.entail, 4), round(found.contradict, 4))
