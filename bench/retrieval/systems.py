"""Rankings that are compared: a system takes the sentences of a pool and returns a function that ranks them per claim.

    bm25           the published retriever
    random         baseline: ten at random
    longest        baseline: the ten longest sentences of the pool
    longest own    baseline: the ten longest sentences of the claim's own file, which it is given
    HerO           the ten sentences that HerO published, in the claim's own file only

Hybrid retrieval and its parts are in `hybrid.py`, the comparisons in `studies.py`.
"""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Protocol

import numpy as np

from bench.retrieval.corpus import Corpus
from bench.retrieval.numbered_once import numbered_once
from bench.retrieval.pools import OWN
from src.records import Claim, Sentence
from src.reranking.bm25 import BM25
from src.text import numbered_words, words

K = 10  # sentences that a claim is given
BM25_NAME, RANDOM, LONGEST, LONGEST_OWN, HERO = "bm25", "random", "longest", "longest own", "HerO"


class Rank(Protocol):
    """Places of the best k sentences for a claim, best first, without the refused places."""

    def __call__(self, claim: Claim, k: int, refused: AbstractSet[int]) -> list[int]: ...


System = Callable[[Sequence[Sentence]], Rank]  # indexes a pool
Given = Mapping[int, list[Sentence]]  # by claim, a ranking that stands already


def baselines() -> dict[str, System]:
    """Return the baselines that rank the pool without reading the claim: at random, and by length."""
    return {RANDOM: at_random, LONGEST: longest}


def published(corpus: Corpus) -> System:
    """BM25 of the published flags: NLTK's words, the claim as the query. The corpus's words are cut once."""
    numbering = numbered_once([one.sentence for one in corpus.sentences], numbered_words)

    def index(pool: Sequence[Sentence]) -> Rank:
        bm25 = BM25.of(numbering([one.sentence for one in pool]))

        def rank(claim: Claim, k: int, refused: AbstractSet[int]) -> list[int]:
            return _without(bm25.top(words(claim.claim), k + len(refused)), refused, k)

        return rank

    return index


def given(corpus: Corpus, pool: str, k: int) -> dict[str, Given]:
    """Return the rankings that are compared in this pool but do not read its sentences: by name, then by claim."""
    if pool == OWN:
        return {HERO: corpus.hero} if corpus.hero else {}
    by_length = {
        claim_id: sorted((corpus.sentences[number] for number in numbers), key=lambda one: -len(one.sentence))[:k]
        for claim_id, numbers in corpus.files.items()
    }
    return {LONGEST_OWN: by_length}


def at_random(pool: Sequence[Sentence]) -> Rank:
    """The pool is shuffled by the seed; here every claim draws its own places."""

    def rank(claim: Claim, k: int, refused: AbstractSet[int]) -> list[int]:
        number = min(k + len(refused), len(pool))
        drawn = np.random.default_rng(claim.claim_id).choice(len(pool), number, replace=False)
        return _without(drawn.tolist(), refused, k)

    return rank


def longest(pool: Sequence[Sentence]) -> Rank:
    places = sorted(range(len(pool)), key=lambda place: -len(pool[place].sentence))

    def rank(claim: Claim, k: int, refused: AbstractSet[int]) -> list[int]:
        return _without(places[: k + len(refused)], refused, k)

    return rank


def _without(places: Sequence[int], refused: AbstractSet[int], k: int) -> list[int]:
    return [place for place in places if place not in refused][:k]
