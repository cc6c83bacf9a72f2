"""The top sentences of claims, whatever finds them: the work of `bm25_sentences`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from src.errors import ClaimError
from src.knowledge_store import ClaimFile, KnowledgeStore
from src.records import Claim, RankedSentences
from src.runner.outcome import Outcome


@dataclass(frozen=True)
class Best:
    """The places of a claim's best sentences, best first, and what the manifest is to sum up."""

    places: Sequence[int]
    counts: Mapping[str, int] = field(default_factory=dict)


class Retriever(Protocol):
    """Gives the k best of the texts, which are the sentences of the file, or all where they are fewer.

    It travels to worker processes: what it needs to load, it loads when it is first called.
    """

    def __call__(self, claim: Claim, file: ClaimFile, texts: Sequence[str], k: int) -> Best: ...


@dataclass(frozen=True)
class ClaimRanking:
    """Called with claims: the top sentences of each, none where its store is empty.

    Raises StoreError; ClaimError for an empty claim.
    """

    store: KnowledgeStore
    retriever: Retriever
    top_k: int

    def __call__(self, claims: Sequence[Claim]) -> list[Outcome[RankedSentences]]:
        return [self._of(claim) for claim in claims]

    def _of(self, claim: Claim) -> Outcome[RankedSentences]:
        if not claim.claim.strip():
            raise ClaimError("the claim is empty")
        file = self.store.file(claim.claim_id)
        sentences = file.sentences()
        best = self.retriever(claim, file, [sentence.sentence for sentence in sentences], self.top_k)
        ranked = RankedSentences(claim.claim_id, claim.claim, self.top_k, [sentences[place] for place in best.places])
        return Outcome(ranked, {"sentences": len(sentences), **best.counts})

    def without_result(self, claim: Claim) -> RankedSentences:
        """A claim of which no sentences could be found."""
        return RankedSentences(claim.claim_id, claim.claim, self.top_k, [])
