"""Records of the stance of evidence toward a claim."""

from typing import NamedTuple

import msgspec

from src.records import Side, Verdict

ON_A_SIDE = 0.5  # smallest force of a passage that is on a side
SIDE_OF = {Verdict.SUPPORTED: Side.FOR, Verdict.REFUTED: Side.AGAINST}


class Stance(msgspec.Struct, frozen=True):
    """Probabilities that a passage entails and contradicts the claim, and the side that it is on."""

    side: Side
    entail: float
    contradict: float

    @property
    def force(self) -> float:
        """Return how much the passage affects the verdict, from 0 to 1; 0 if it only repeats the claim."""
        return 0.0 if self.side is Side.REPEATS else max(self.entail, self.contradict)


class Passage(NamedTuple):
    """A piece of evidence: a sentence with its context, the page's URL, and the speaker of the claim.

    Words of the `speaker` are no evidence for the claim; empty if unknown.
    """

    text: str
    url: str = ""
    speaker: str = ""
