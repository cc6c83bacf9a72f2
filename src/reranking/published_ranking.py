"""Published retrieval: a claim's sentences by BM25Okapi over NLTK's words, with the claim as the query.

`PublishedBM25` uses our index, which gives the same scores. `RankBM25` runs the library that the published code uses.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from src.knowledge_store import ClaimFile
from src.records import Sentence
from src.reranking.claim_ranking import Best, RetrievalQuery
from src.reranking.index_cache import IndexedWords, index_of
from src.reranking.retriever_settings import RetrieverSettings
from src.text import NLTK_VERSION, numbered_words, published_words, words

NLTK_WORDS = IndexedWords(f"NLTK {NLTK_VERSION}", "bm25", numbered_words)


@dataclass(frozen=True)
class PublishedBM25:
    """Published retriever with our index. Indexes of large stores are cached in `index_dir`; None: no cache."""

    index_dir: Path | None

    def __call__(self, query: RetrievalQuery, file: ClaimFile, sentences: Sequence[Sentence], k: int) -> Best:
        index, counts = index_of(file, [sentence.sentence for sentence in sentences], self.index_dir, NLTK_WORDS)
        return Best([sentences[place] for place in index.top(words(query.claim.claim), k)], counts)


@dataclass(frozen=True)
class RankBM25:
    """Published retriever with the library rank_bm25; it caches no index.

    The library divides by the number of words. If there are no words, every score is 0.
    """

    def __call__(self, query: RetrievalQuery, file: ClaimFile, sentences: Sequence[Sentence], k: int) -> Best:
        from rank_bm25 import BM25Okapi

        corpus = [published_words(sentence.sentence) for sentence in sentences]
        query_words = published_words(query.claim.claim)
        scores = BM25Okapi(corpus).get_scores(query_words) if any(corpus) else np.zeros(len(corpus))
        return Best([sentences[place] for place in np.argsort(scores)[::-1][:k]])


def bm25(settings: RetrieverSettings) -> PublishedBM25:
    """Return the published retriever with our index."""
    return PublishedBM25(settings.index_dir)


def rank_bm25(settings: RetrieverSettings) -> RankBM25:
    """Return the published retriever with the library rank_bm25, which caches no index."""
    return RankBM25()
