"""The published retrieval: a claim's sentences by BM25Okapi over NLTK's words, the claim being the query.

`PublishedBM25` has our index, which gives the same scores; `RankBM25` runs the library that the published code runs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from src.knowledge_store import ClaimFile
from src.records import Claim
from src.reranking.claim_ranking import Best
from src.reranking.kept_index import index_of
from src.text import published_words, words


@dataclass(frozen=True)
class PublishedBM25:
    """Keeps and uses the indexes of large stores in `index_dir`; with None, none."""

    index_dir: Path | None

    def __call__(self, claim: Claim, file: ClaimFile, texts: Sequence[str], k: int) -> Best:
        index, counts = index_of(file, texts, self.index_dir)
        return Best(index.top(words(claim.claim), k), counts)


@dataclass(frozen=True)
class RankBM25:
    """Keeps nothing. The library divides by the number of words: where there is none, every score is 0."""

    def __call__(self, claim: Claim, file: ClaimFile, texts: Sequence[str], k: int) -> Best:
        from rank_bm25 import BM25Okapi

        corpus = [published_words(text) for text in texts]
        scores = BM25Okapi(corpus).get_scores(published_words(claim.claim)) if any(corpus) else np.zeros(len(corpus))
        return Best([int(place) for place in np.argsort(scores)[::-1][:k]])
