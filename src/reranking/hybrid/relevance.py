"""How well each candidate sentence serves a claim.

    likeness  = lexical * BM25 / its maximum + (1 - lexical) * cosine of claim and sentence
    substance = ln(1 + min(new, n)) / ln(1 + n),  new: words of the sentence that the claim has not
    feedback  = cosine with the mean of those first found, by likeness * substance
    relevance = (likeness + w * feedback) * substance

A sentence that only repeats the claim is most like it and answers nothing about it: hence substance. Feedback is
Rocchio's (1971): what answers a claim resembles what else is said about it more than the claim itself. What is below 0
counts as 0.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from src.reranking.hybrid.settings import Settings
from src.reranking.largest import largest
from src.reranking.likeness import likeness

Floats = npt.NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Candidates:
    """Sentences that BM25 found, one row each: place in the store, BM25 score, unit vector, own words, denial."""

    places: npt.NDArray[np.int64]  # [n]
    bm25: Floats  # [n]
    vectors: npt.NDArray[np.float32]  # [n, width]
    words: list[frozenset[str]]
    denials: npt.NDArray[np.bool_]  # [n], whether the sentence denies something


@dataclass(frozen=True)
class Relevance:
    """Of each candidate: its cosine with the claim, and the relevance that all is weighed into. Shape [n] each."""

    cosine: Floats
    relevance: Floats


def relevance(candidates: Candidates, query: npt.NDArray[np.float32], claim: Collection[str],
              settings: Settings) -> Relevance:  # fmt: skip
    """`query` is the unit vector of what is asked (shape [width]), `claim` the claim's own words."""
    cosine = cosines(candidates.vectors, query)
    alike = np.maximum(likeness(candidates.bm25, cosine, settings.lexical), 0)
    says = substance(candidates.words, claim, settings.substance_words)
    first = candidates.vectors[largest(alike * says, settings.feedback_sentences)]
    feedback = np.maximum(cosines(candidates.vectors, unit(first.sum(axis=0))), 0)
    return Relevance(cosine, (alike + settings.feedback * feedback) * says)


def cosines(vectors: npt.NDArray[np.float32], vector: npt.NDArray[np.float32]) -> Floats:
    """Of unit rows (shape [n, width]) with a unit vector.

    Rounded, since matrix products give equal rows last digits that depend on where they stand.
    """
    product: npt.NDArray[np.float32] = vectors @ vector
    return product.round(5)


def substance(words: Collection[frozenset[str]], claim: Collection[str], enough: int) -> Floats:
    """Between 0 and 1 for each sentence (shape [n]): how many words it has that the claim has not, up to `enough`.

    With `enough` 0, 1 for each.
    """
    if not enough:
        return np.ones(len(words))
    known = frozenset(claim)
    new = np.array([len(own - known) for own in words], np.float64)
    grown: Floats = np.log1p(np.minimum(new, enough)) / np.log1p(enough)
    return grown


def unit(vector: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The vector with length 1; one of zeros stays as it is."""
    scaled: npt.NDArray[np.float32] = vector / np.maximum(np.linalg.norm(vector), np.float32(1e-9))
    return scaled
