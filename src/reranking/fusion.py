"""Fusion of BM25 scores and cosines of a query: lexical * BM25 / its maximum + (1 - lexical) * cosine.

(A convex combination; Bruch, Gai and Ingber 2023, "An Analysis of Fusion Functions for Hybrid Retrieval", find it
better than reciprocal ranks.) A BM25 score below 0 counts as 0. It occurs in small collections, for words that nearly
every text contains.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.floating[Any]]


def fused(bm25: Floats, cosines: Floats, lexical: float) -> Floats:
    """Return lexical * scaled BM25 + (1 - lexical) * cosine of n texts (all shapes [n]); `lexical` is from 0 to 1."""
    scaled = np.maximum(bm25, 0) / max(float(bm25.max(initial=0)), 1e-9)
    return lexical * scaled + (1 - lexical) * cosines
