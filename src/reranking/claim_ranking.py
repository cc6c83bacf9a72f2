"""Ranking of the sentences of each claim, with any retriever: the work of the step `bm25_sentences`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from src.errors import ClaimError
from src.knowledge_store import ClaimFile, Store
from src.records import Claim, RankedSentences, Sentence
from src.reranking.hybrid.hyde import Hypothetical
from src.runner.outcome import Outcome


@dataclass(frozen=True)
class RetrievalQuery:
    """A claim for which sentences are retrieved; `hypothetical` is a fact-check invented by a language model, or ""."""

    claim: Claim
    hypothetical: str = ""


@dataclass(frozen=True)
class Best:
    """The best sentences for a claim, best first, and the counts that the manifest sums up."""

    sentences: Sequence[Sentence]
    counts: Mapping[str, int] = field(default_factory=dict)


class Retriever(Protocol):
    """Retriever: returns the k best sentences of a claim's file, or all if there are fewer.

    `file` is the claim's file in the knowledge store, `sentences` are all its sentences in order. A retriever is
    pickled for worker processes and loads its models on the first call.
    """

    def __call__(self, query: RetrievalQuery, file: ClaimFile, sentences: Sequence[Sentence], k: int) -> Best: ...


class Hypotheticals(Protocol):
    """Writer of hypothetical fact-checks: returns one for each claim of a batch."""

    def __call__(self, claims: Sequence[Claim]) -> list[Hypothetical]: ...


@dataclass(frozen=True)
class ClaimRanking:
    """Callable that ranks the sentences of claims. A claim with an empty store gets no sentences.

    `hypotheticals`: writer of hypothetical fact-checks, which are additional queries.
    `keeps_speaker`: True to copy the claim's speaker into the result.

    Raises the StoreError of the store, ClaimError when a claim is empty, and ModelError when a language model fails.
    """

    store: Store
    retriever: Retriever
    top_k: int
    hypotheticals: Hypotheticals | None = None
    keeps_speaker: bool = False

    def __call__(self, claims: Sequence[Claim]) -> list[Outcome[RankedSentences]]:
        if any(not claim.claim.strip() for claim in claims):
            raise ClaimError("the claim is empty")
        written = self.hypotheticals(claims) if self.hypotheticals else [Hypothetical()] * len(claims)
        return [self._of(claim, hypothetical) for claim, hypothetical in zip(claims, written, strict=True)]

    def _of(self, claim: Claim, hypothetical: Hypothetical) -> Outcome[RankedSentences]:
        file = self.store.file(claim.claim_id)
        sentences = file.sentences()
        best = self.retriever(RetrievalQuery(claim, hypothetical.text), file, sentences, self.top_k)
        speaker = (claim.speaker or "") if self.keeps_speaker else ""
        ranked = RankedSentences(claim.claim_id, claim.claim, self.top_k, list(best.sentences), speaker)
        return Outcome(ranked, {"sentences": len(sentences), **best.counts, **hypothetical.counts()})
