"""Best one-to-one matching of predictions with references.

Kuhn, "The Hungarian method for the assignment problem", 1955; computed by `scipy.optimize.linear_sum_assignment`.
"""

import numpy as np
from numpy.typing import NDArray


def best_match(scores: NDArray[np.float64]) -> float:
    """Return the largest sum of cells with no two in the same row or column; 0 for an empty matrix.

    `scores` is [predictions, references] and need not be square: items of the larger side may have no partner.
    """
    rows, columns = _assigned(scores)
    return float(scores[rows, columns].sum())


def partners(scores: NDArray[np.float64]) -> dict[int, int]:
    """Return the cells of that sum as a mapping from prediction to reference."""
    rows, columns = _assigned(scores)
    return dict(zip(rows.tolist(), columns.tolist(), strict=True))


def _assigned(scores: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    from scipy.optimize import linear_sum_assignment

    return linear_sum_assignment(scores, maximize=True)
