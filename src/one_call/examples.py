"""In-context examples of a call: the claims of a reference corpus that are most like the claim, with their gold pairs.

Likeness is BM25 over the words of the claims, as in AIC (FEVER-8), so that one choice serves the whole claim.
"""

from collections.abc import Sequence

from src.errors import one_line
from src.evaluation.averitec import gold_pairs
from src.records import Claim
from src.reranking.bm25 import BM25
from src.text import numbered_words, same, words

MOST_PAIRS = 6  # of an example


class ClaimExamples:
    """Searchable claims with gold pairs and label; others of `claims` are left out."""

    def __init__(self, claims: Sequence[Claim]) -> None:
        self._claims = [claim for claim in claims if claim.questions and claim.label]
        self._index = BM25.of(numbered_words([claim.claim for claim in self._claims]))
        self._same = [same(claim.claim) for claim in self._claims]

    def similar(self, claim: str, count: int) -> list[str]:
        """Return the texts of the `count` examples that are most like the claim, best first.

        The claim itself is never among them.
        """
        own = same(claim)
        places = self._index.top(words(claim), count + self._same.count(own))
        return [_text(self._claims[place]) for place in places if self._same[place] != own][:count]


def _text(claim: Claim) -> str:
    pairs = [f"Question: {one_line(question)}\nAnswer: {one_line(answer)}" for question, answer in gold_pairs(claim)]
    return "\n".join([f"Claim: {one_line(claim.claim)}", *pairs[:MOST_PAIRS], f"Label: {claim.label}"])
