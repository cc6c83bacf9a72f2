"""What a piece of evidence does to a claim."""

from typing import NamedTuple

import msgspec

from src.records import Side, Verdict

ON_A_SIDE = 0.5  # force of a passage that is on a side, at least
SIDE_OF = {Verdict.SUPPORTED: Side.FOR, Verdict.REFUTED: Side.AGAINST}


class Stance(msgspec.Struct, frozen=True):
    """How far a passage entails and contradicts the claim (probabilities), and which side it is on."""

    side: Side
    entail: float
    contradict: float

    @property
    def force(self) -> float:
        """How far it moves the verdict, from 0 to 1; 0 where it only repeats the claim."""
        return 0.0 if self.side is Side.REPEATS else max(self.entail, self.contradict)


class Passage(NamedTuple):
    """A piece of evidence: a sentence with what is needed around it, the page's address, and who made the claim.

    The words of the `speaker` are no evidence for what he claims; "" where he is not known.
    """

    text: str
    url: str = ""
    speaker: str = ""
