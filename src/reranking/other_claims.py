"""Search in the texts of other claims; claims that the same evidence may decide are left out.

Limitations: likeness is by words (BM25). Two wordings of one claim that share few words count as two claims.
"""

from collections.abc import Iterable

from src.reranking.bm25 import BM25
from src.reranking.hybrid.own_words import own_words
from src.text import numbered_words, words

ALIKE = 0.5  # share of words from which two claims may be decided by the same evidence


class OtherClaims:
    """Searchable texts of claims; `owned` are pairs of a claim and one of its texts."""

    def __init__(self, owned: Iterable[tuple[str, str]]) -> None:
        pairs = list(owned)
        self._claims = [claim for claim, _ in pairs]
        self._words = {claim: frozenset(own_words(claim)) for claim in self._claims}
        self._index = BM25.of(numbered_words([text for _, text in pairs]))

    def nearest(self, claim: str, reach: int) -> list[int]:
        """Return the indexes (from 0) of the texts nearest to the claim, nearest first.

        Texts of claims that are too similar to this claim are left out.

        `reach`: number of nearest texts that are examined; fewer are returned if some of them are left out.
        """
        wanted = frozenset(own_words(claim))
        return [at for at in self._index.top(words(claim), reach) if not self._is_alike(wanted, self._claims[at])]

    def _is_alike(self, wanted: frozenset[str], other: str) -> bool:
        held = self._words[other]
        return len(wanted & held) >= ALIKE * min(len(wanted), len(held))
