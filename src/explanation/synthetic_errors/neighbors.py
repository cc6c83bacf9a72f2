"""Nearest claims of a claim, among those that are decided by other evidence."""

from collections.abc import Iterator, Sequence

from src.explanation.records import ExplainedClaim
from src.reranking.other_claims import OtherClaims
from src.text import same

REACH = 60  # most other claims that are considered
FEWEST = 5  # fewest words of an answer that counts as shared by two claims


class Neighbors:
    """Claims with their evidence, ranked by similarity to one of them."""

    def __init__(self, claims: Sequence[ExplainedClaim]) -> None:
        self._claims = claims
        self._others = OtherClaims((one.claim, one.claim) for one in claims)

    def of(self, claim: ExplainedClaim) -> Iterator[ExplainedClaim]:
        """Yield claims, nearest first, that share neither an answer nor half of their words with this one."""
        own = _answers(claim)
        for at in self._others.nearest(claim.claim, REACH):
            other = self._claims[at]
            if other.evidence and same(other.claim) != same(claim.claim) and not own & _answers(other):
                yield other


def _answers(claim: ExplainedClaim) -> set[str]:
    return {same(one.answer) for one in claim.evidence if len(one.answer.split()) >= FEWEST}
