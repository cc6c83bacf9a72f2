"""Hybrid retrieval as systems of the benchmark: as it comes, with one part switched off, and with hypothetical
fact-checks. It is the code that the pipeline runs; only words are cut and vectors made once for all pools.

BM25 always chooses the candidates, so no entry is free of it; `no BM25` weighs them without its scores. Feedback,
diversity and near-duplicates need vectors: `no vectors` does without all four, and leaves out equal words only.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from bench.retrieval.corpus import Corpus
from bench.retrieval.corpus_vectors import KEPT, corpus_vectors
from bench.retrieval.numbered_once import numbered_once
from bench.retrieval.systems import Rank, System
from src.records import Claim, Sentence
from src.reranking.bm25 import BM25
from src.reranking.hybrid.own_words import cut
from src.reranking.hybrid.retrieval import retrieve
from src.reranking.hybrid.settings import Settings
from src.vocabulary import numbered

HYBRID, HYDE = "hybrid", "hybrid, hyde"
_EQUAL = 0.99999  # a cosine that only the same text has
_ALONE = Settings(
    speaker=0, date=0, substance_words=0, feedback=0, diversity=0, same=_EQUAL, page_share=1, site_share=1
)
PARTS: dict[str, Settings] = {
    "no BM25": Settings(lexical=0),
    "no vectors": Settings(lexical=1, feedback=0, diversity=0, same=_EQUAL),
    "no speaker, no date": Settings(speaker=0, date=0),
    "no substance": Settings(substance_words=0),
    "no feedback": Settings(feedback=0),
    "no diversity": Settings(diversity=0),
    "near-duplicates kept": Settings(same=1),
    "no caps": Settings(page_share=1, site_share=1),
    "200 candidates": Settings(candidates=200),
    "1,000 candidates": Settings(candidates=1_000),
    "5,000 candidates": Settings(candidates=5_000),
    "BM25 over own words alone": replace(_ALONE, lexical=1),
    "cosine of the candidates alone": replace(_ALONE, lexical=0),
}


class Hybrids:
    """Makes systems over a corpus. The first time its vectors are made, which takes minutes, and kept in `folder`."""

    def __init__(self, corpus: Corpus, folder: Path = KEPT) -> None:
        self._numbering = numbered_once([one.sentence for one in corpus.sentences], partial(numbered, cut=cut))
        self._vectors = corpus_vectors(corpus, folder)

    def system(self, settings: Settings, hypotheticals: Mapping[int, str] | None = None) -> System:
        """`hypotheticals` by claim_id; a claim without one is asked for alone."""
        written = hypotheticals or {}

        def index(pool: Sequence[Sentence]) -> Rank:
            bm25 = BM25.of(self._numbering([one.sentence for one in pool]))

            def rank(claim: Claim, k: int, refused: AbstractSet[int]) -> list[int]:
                allowed = np.ones(len(pool), np.bool_)
                allowed[list(refused)] = False
                hits = retrieve(claim, pool, bm25, self._vectors, k, settings, allowed=allowed,
                                 hypothetical=written.get(claim.claim_id, ""))  # fmt: skip
                return [one.place for one in hits]

            return rank

        return index
