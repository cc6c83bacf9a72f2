"""The best one-to-one matching of predictions with references.

Kuhn, "The Hungarian method for the assignment problem", 1955; computed by `scipy.optimize.linear_sum_assignment`.
"""

import numpy as np
from numpy.typing import NDArray


def best_match(scores: NDArray[np.float64]) -> float:
    """The largest sum of cells of which no two share a row or a column; 0 for an empty matrix.

    `scores` is [predictions, references] and need not be square: the larger side keeps items without a partner.
    """
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(scores, maximize=True)
    return float(scores[rows, columns].sum())
