"""Metric of ProgramFC: macro-F1, the mean of the F1 of the labels `supports` and `refutes`.

    F1(label) = 2 TP / (predicted + gold), 0 where both are 0, as scikit-learn has it

Pan et al., "Fact-Checking Complex Claims with Program-Guided Reasoning", ACL 2023, Table 1. A trace has four values:
true counts as `supports`; false, unknown and conflicting count as `refutes`, which in HOVER means "not supported".
"""

from collections.abc import Iterable

import numpy as np

from src.evaluation.bootstrap import Floats, Statistic, mean_of
from src.records import Value


def supported(values: Iterable[Value]) -> Floats:
    """Return an array of shape [claims]: 1 for `supports`, 0 for `refutes`."""
    return np.array([float(value is Value.TRUE) for value in values])


def macro_f1(gold: Floats, said: Floats) -> Statistic:
    """Return the statistic macro-F1.

    Both arrays have shape [claims], with 0 or 1. Values of `said` in between count in part: 0.5 gives the expected
    score of a coin.
    """

    def score(counts: Floats) -> Floats:
        return (_f1(gold, said, counts) + _f1(1 - gold, 1 - said, counts)) / 2

    return score


def accuracy(gold: Floats, said: Floats) -> Statistic:
    """Return the statistic accuracy: the share of claims with the right label. Arguments are those of `macro_f1`."""
    return mean_of(gold * said + (1 - gold) * (1 - said))


def _f1(gold: Floats, said: Floats, counts: Floats) -> Floats:
    bottom = (gold + said) @ counts
    return np.divide(2 * (gold * said) @ counts, bottom, out=np.zeros_like(bottom), where=bottom > 0)
