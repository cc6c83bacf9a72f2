"""Indexes of the k largest of many scores, without sorting them all.

The k-th largest of the maxima of blocks is a lower bound of the k-th largest score. Only scores that reach it are
sorted.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

BLOCK = 256  # scores


def largest(scores: npt.NDArray[Any], k: int) -> npt.NDArray[np.int64]:
    """Return the indexes of the k largest of N scores (no NaN), largest first, ties by index; all N if k > N."""
    if k <= 0:
        return np.zeros(0, np.int64)
    whole = len(scores) // BLOCK
    places = np.arange(len(scores))
    if whole >= k:
        maxima = scores[: whole * BLOCK].reshape(whole, BLOCK).max(axis=1)
        places = np.flatnonzero(scores >= np.partition(maxima, whole - k)[whole - k])
    return places[np.argsort(-scores[places], kind="stable")[:k]]
