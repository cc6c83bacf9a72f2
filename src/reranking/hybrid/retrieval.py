"""Retrieval of the sentences that are most useful for a claim: BM25 and vectors, then diversification.

    1. BM25 finds candidates; the queries are the claim, its speaker, its date and a hypothetical fact-check
    2. each candidate gets a relevance: likeness to the claim by BM25 and cosine, substance, feedback (`relevance.py`)
    3. k sentences are chosen one by one, without repetition (`diversity.py`)

If BM25 finds too few, the store's first sentences are added: the order of the files is that of a search engine.

Limitations: denials are found by English words only (not, never, no, false, ...). This module reads and writes no
files; `src/reranking/hybrid/retriever.py` does so for a claim's file.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

import msgspec
import numpy as np
import numpy.typing as npt

from src.records import Claim, Reason, Sentence
from src.reranking.bm25 import BM25
from src.reranking.hybrid.diversity import diverse, source
from src.reranking.hybrid.own_words import own_words
from src.reranking.hybrid.relevance import Candidates, Relevance, relevance, unit
from src.reranking.hybrid.settings import Settings
from src.reranking.largest import largest

_DENYING = re.compile(
    r"\b(?:no|not|never|none|nobody|nothing|nowhere|neither|nor|without|cannot|false|falsely|fake|untrue|incorrect|hoax"
    r"|den(?:y|ies|ied|ial)|debunk(?:s|ed)?|refut(?:e|es|ed))\b|n['\u2019]t\b",
    re.IGNORECASE,
)


def denies(sentence: str) -> bool:
    """Return True if the sentence contains a word that denies something, such as `not` or `false`."""
    return _DENYING.search(sentence) is not None


class Query(msgspec.Struct, frozen=True):
    """Words of a BM25 query, and the weight of its scores."""

    words: list[str]
    weight: float


def queries(claim: Claim, hypothetical: str, settings: Settings) -> list[Query]:
    """Return the BM25 queries for a claim: the claim itself first, then speaker, date and hypothetical fact-check.

    Queries without words or with weight 0 are left out.
    """
    weighted_texts = [
        (claim.claim, 1.0),
        (claim.speaker or "", settings.speaker),
        (month(claim.claim_date), settings.date),
        (hypothetical, settings.hypothetical),
    ]
    made = [Query(own_words(text), weight) for text, weight in weighted_texts]
    return [query for query in made if query.words and query.weight]


def texts(claim: Claim, hypothetical: str, settings: Settings) -> Sequence[str]:
    """Return the texts that are encoded as queries: the claim, then the hypothetical fact-check if it has weight."""
    return [claim.claim.strip(), hypothetical] if hypothetical and settings.hypothetical else [claim.claim.strip()]


def month(date: str | None) -> str:
    """Return the month and year of a date as pages write them: `October 2020` for `31-10-2020`; "" for other texts."""
    try:
        return datetime.strptime((date or "").strip(), "%d-%m-%Y").strftime("%B %Y")
    except ValueError:
        return ""


class Vectors(Protocol):
    """Source of sentence vectors: float32 [len(texts), width], rows of length 1."""

    def of(self, texts: Sequence[str]) -> npt.NDArray[np.float32]: ...
    def of_queries(self, texts: Sequence[str]) -> npt.NDArray[np.float32]: ...


@dataclass(frozen=True)
class Hit:
    """A chosen sentence: its index `place` (from 0) in the store, and the reason why it was chosen."""

    place: int
    reason: Reason


def retrieve(claim: Claim, sentences: Sequence[Sentence], index: BM25, vectors: Vectors, k: int, settings: Settings,
             *, allowed: npt.NDArray[np.bool_] | None = None, hypothetical: str = "",
             spare: int = 0) -> list[Hit]:  # fmt: skip
    """Return the best of N sentences for a claim: at most k, followed by at most `spare` more, best first.

    `index`: BM25 index over the content words of all sentences, in order.
    `vectors`: source of sentence vectors.
    `allowed`: True for each sentence that may be chosen, shape [N]; None: all.
    `hypothetical`: a fact-check invented by a language model, or "".
    """
    bm25_queries = queries(claim, hypothetical, settings)
    scores = _lexical(index, bm25_queries)
    if allowed is not None:
        scores[~allowed] = -1.0
    places = largest(scores, max(k + spare, settings.candidates))
    places = places[scores[places] >= 0]
    if not len(places):
        return []
    chosen_from = [sentences[place] for place in places.tolist()]
    candidates = Candidates(
        places,
        scores[places],
        vectors.of([sentence.sentence for sentence in chosen_from]),
        [frozenset(own_words(sentence.sentence)) for sentence in chosen_from],
        np.array([denies(sentence.sentence) for sentence in chosen_from], np.bool_),
    )
    query = unit(vectors.of_queries(texts(claim, hypothetical, settings)).sum(axis=0))
    weighed = relevance(candidates, query, own_words(claim.claim), settings)
    sources = [source(sentence.url) for sentence in chosen_from]
    rows = diverse(candidates, weighed.relevance, sources, k, settings, spare)
    return _hits(candidates, weighed, rows)


def _lexical(index: BM25, bm25_queries: Sequence[Query]) -> npt.NDArray[np.float64]:
    """Return the weighted sum of the BM25 scores of all queries, shape [N].

    A sum below 0 counts as 0. It occurs in a small store, for words that nearly every sentence contains.
    """
    scores = np.zeros(index.size)
    for query in bm25_queries:
        scores += query.weight * index.scores(query.words)
    return np.maximum(scores, 0, out=scores)


def _hits(candidates: Candidates, weighed: Relevance, rows: Sequence[int]) -> list[Hit]:
    cosine_ranks = ranks(weighed.cosine)
    return [
        Hit(
            int(candidates.places[row]),
            Reason(
                relevance=round(float(weighed.relevance[row]), 4),
                bm25=round(float(candidates.bm25[row]), 4),
                bm25_rank=row + 1,
                cosine=round(float(weighed.cosine[row]), 4),
                cosine_rank=int(cosine_ranks[row]),
            ),
        )
        for row in rows
    ]


def ranks(scores: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return the rank of each of n scores: 1 for the largest, ties in the order of the scores. Shape [n]."""
    places = np.empty(len(scores), np.int64)
    places[np.argsort(-scores, kind="stable")] = np.arange(1, len(scores) + 1)
    return places
