"""What a retriever has to choose from: the claim's own file, alone or hidden among sentences of other claims.

    own      the claim's file
    1000     the file, the claim's sentences whose page is unknown, and sentences of other claims up to so many
    all      every sentence of every claim

The claim's fact-checking article is in none of them. Every pool is shuffled by a seed; so are the other claims'
sentences drawn. A pool whose own sentences are more than its size has all of them and no others.

Limitations: what other claims' files hold was found for other claims, by retrievers; the tail of a real store is
duller.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from bench.retrieval.corpus import Corpus
from src.records import Claim, Sentence

OWN, ALL = "own", "all"
NAMES = (OWN, "1000", "10000", ALL)

Ints = NDArray[np.int64]


class Pool:
    """Sentences in the order of the shuffle, and the claims that choose from them.

    `refused` are places in the pool, by claim: a pool for all claims holds every claim's fact-checking article, which
    that claim may not see.
    """

    def __init__(self, corpus: Corpus, claims: Sequence[Claim], numbers: Ints) -> None:
        self.claims = claims
        self.sentences: list[Sentence] = [corpus.sentences[number] for number in numbers]
        self._refused = corpus.refused
        self._places = {int(number): place for place, number in enumerate(numbers)}

    def refused(self, claim_id: int) -> frozenset[int]:
        numbers = self._refused.get(claim_id, frozenset())
        return frozenset(self._places[number] for number in numbers if number in self._places)

    def shown(self, claim_id: int, numbers: Sequence[int]) -> list[int]:
        """Those of the corpus's sentences that are in the pool and not refused."""
        refused = self._refused.get(claim_id, frozenset())
        return [number for number in numbers if number in self._places and number not in refused]


def pools(corpus: Corpus, name: str, claims: Sequence[Claim], seed: int) -> Iterator[Pool]:
    """Return the pools of the claims: one for each claim, or one for all of them."""
    if name == ALL:
        yield Pool(corpus, claims, np.random.default_rng([seed]).permutation(len(corpus.sentences)))
        return
    for claim in claims:
        chance = np.random.default_rng([seed, claim.claim_id])
        yield Pool(corpus, [claim], chance.permutation(_chosen(corpus, name, claim.claim_id, chance)))


def _chosen(corpus: Corpus, name: str, claim_id: int, chance: np.random.Generator) -> Ints:
    if name == OWN:
        return np.array(corpus.files.get(claim_id, []), dtype=np.int64)
    own = np.array(corpus.own(claim_id), dtype=np.int64)
    other = np.ones(len(corpus.sentences), dtype=bool)
    other[own] = False
    other[list(corpus.refused.get(claim_id, ()))] = False
    others = np.flatnonzero(other)
    missing = min(max(0, int(name) - len(own)), len(others))
    return np.concatenate([own, chance.choice(others, missing, replace=False)])
