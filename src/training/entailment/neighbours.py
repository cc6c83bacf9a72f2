"""The passages of a claim, and those of the most similar other claims."""

from collections.abc import Sequence

from src.claims import LabelledClaim
from src.models.entailment import TitledText
from src.reranking.bm25 import BM25
from src.text import numbered_words, words

NEAR = 12  # passages of other claims, from which foreign ones are drawn


def passages(claim: LabelledClaim) -> list[TitledText]:
    return [(one.url, one.sentence) for one in claim.gold]


class Neighbours:
    """An index of the passages of all claims, for passages of other claims that are similar to a claim.

    Passages of pages that the claim itself has are left out.
    """

    def __init__(self, claims: Sequence[LabelledClaim]) -> None:
        self._claims = claims
        self._pool = [(place, one) for place, claim in enumerate(claims) for one in passages(claim)]
        self._index = BM25.of(numbered_words([f"{title} {text}" for _, (title, text) in self._pool]))

    def of(self, place: int) -> list[TitledText]:
        own = set(passages(self._claims[place]))
        titles = set(self._claims[place].titles)
        found = (self._pool[at] for at in self._index.top(words(self._claims[place].claim), NEAR + 2 * len(own)))
        foreign = [one for _, one in found if one not in own and one[0] not in titles]
        return list(dict.fromkeys(foreign))[:NEAR]
