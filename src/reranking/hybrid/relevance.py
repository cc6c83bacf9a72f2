"""Relevance of each candidate sentence to a claim.

    likeness  = lexical * BM25 / its maximum + (1 - lexical) * cosine of claim and sentence
    substance = ln(1 + min(new, n)) / ln(1 + n),  new: words of the sentence that are not in the claim
    feedback  = cosine with the mean of the first sentences found, by likeness * substance
    relevance = (likeness + w * feedback) * substance

A sentence that only repeats the claim has the highest likeness and adds nothing; substance corrects for this. Feedback
is that of Rocchio (1971): what answers a claim resembles other texts about it more than the claim itself. Likeness and
feedback below 0 count as 0.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from src.reranking.fusion import fused
from src.reranking.hybrid.settings import Settings
from src.reranking.largest import largest

Floats = npt.NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Candidates:
    """Sentences that BM25 found, one row each.

    `places`: index (from 0) of the sentence in the store.
    `bm25`: BM25 score.
    `vectors`: sentence vector of length 1.
    `words`: content words of the sentence.
    `denials`: True if the sentence contains a negation.
    """

    places: npt.NDArray[np.int64]  # [n]
    bm25: Floats  # [n]
    vectors: npt.NDArray[np.float32]  # [n, width]
    words: list[frozenset[str]]
    denials: npt.NDArray[np.bool_]  # [n]


@dataclass(frozen=True)
class Relevance:
    """Relevance of each candidate, and the cosine of each candidate with the claim; both of shape [n]."""

    cosine: Floats
    relevance: Floats


def relevance(candidates: Candidates, query: npt.NDArray[np.float32], claim: Collection[str],
              settings: Settings) -> Relevance:  # fmt: skip
    """Return the relevance of each candidate to the claim.

    `query`: the claim's vector of length 1, shape [width].
    `claim`: the claim's content words.
    """
    cosine = cosines(candidates.vectors, query)
    alike = np.maximum(fused(candidates.bm25, cosine, settings.lexical), 0)
    substances = substance(candidates.words, claim, settings.substance_words)
    first = candidates.vectors[largest(alike * substances, settings.feedback_sentences)]
    feedback = np.maximum(cosines(candidates.vectors, unit(first.sum(axis=0))), 0)
    return Relevance(cosine, (alike + settings.feedback * feedback) * substances)


def cosines(vectors: npt.NDArray[np.float32], vector: npt.NDArray[np.float32]) -> Floats:
    """Return the cosine of each row of `vectors` (shape [n, width]) with `vector`; all have length 1.

    The cosines are rounded, because in a matrix product the last digits of equal rows depend on their position.
    """
    product: npt.NDArray[np.float32] = vectors @ vector
    return product.round(5)


def substance(words: Collection[frozenset[str]], claim: Collection[str], enough: int) -> Floats:
    """Return the substance of each sentence, between 0 and 1 (shape [n]).

    Substance grows with the number of words that are not in the claim, up to `enough` words. If `enough` is 0, it is 1
    for every sentence.
    """
    if not enough:
        return np.ones(len(words))
    known = frozenset(claim)
    new = np.array([len(own - known) for own in words], np.float64)
    grown: Floats = np.log1p(np.minimum(new, enough)) / np.log1p(enough)
    return grown


def unit(vector: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return the vector scaled to length 1; a zero vector is unchanged."""
    scaled: npt.NDArray[np.float32] = vector / np.maximum(np.linalg.norm(vector), np.float32(1e-9))
    return scaled
