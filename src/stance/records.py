"""Records of the stance of evidence toward a claim."""

from typing import NamedTuple

import msgspec

from src.records import Side, Verdict

ON_A_SIDE = 0.5  # smallest force of a passage that is on a side
SIDE_OF = {Verdict.SUPPORTED: Side.FOR, Verdict.REFUTED: Side.AGAINST}


class Stance(msgspec.Struct, frozen=True):
    """Stance of a passage toward a claim.

    `side`: the side that the passage is on.
    `entail`: probability that the passage entails the claim.
    `contradict`: probability that the passage contradicts the claim.
    """

    side: Side
    entail: float
    contradict: float

    @property
    def force(self) -> float:
        """Return how much the passage affects the verdict, from 0 to 1; 0 if it only repeats the claim."""
        return 0.0 if self.side is Side.REPEATS else max(self.entail, self.contradict)


class Passage(NamedTuple):
    """A piece of evidence.

    `text`: a sentence with its context.
    `url`: the page's URL.
    `speaker`: the speaker of the claim, empty if unknown; the speaker's own words are no evidence for the claim.
    """

    text: str
    url: str = ""
    speaker: str = ""
