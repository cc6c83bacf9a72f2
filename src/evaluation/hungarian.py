"""Best one-to-one matching of predictions with references.

Kuhn, "The Hungarian method for the assignment problem", 1955; computed by `scipy.optimize.linear_sum_assignment`.
"""

import numpy as np
from numpy.typing import NDArray


def best_match(scores: NDArray[np.float64]) -> float:
    """Return the sum of scores of the best matching of predictions with references; 0 for an empty matrix.

    `scores` is [predictions, references]. Each prediction is matched with at most one reference and vice versa; some
    items of the larger side have no partner.
    """
    rows, columns = _assigned(scores)
    return float(scores[rows, columns].sum())


def partners(scores: NDArray[np.float64]) -> dict[int, int]:
    """Return the best matching: index of each matched prediction -> index of its reference."""
    rows, columns = _assigned(scores)
    return dict(zip(rows.tolist(), columns.tolist(), strict=True))


def _assigned(scores: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    from scipy.optimize import linear_sum_assignment

    return linear_sum_assignment(scores, maximize=True)
