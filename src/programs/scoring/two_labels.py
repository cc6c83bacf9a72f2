"""The metric of ProgramFC: of the labels `supports` and `refutes` the mean of their two F1.

    F1(label) = 2 TP / (predicted + gold), 0 where both are 0, as scikit-learn has it

Pan et al., "Fact-Checking Complex Claims with Program-Guided Reasoning", ACL 2023, Table 1. A trace has four values:
true counts as `supports`; false, unknown and conflicting count as `refutes`, which in HOVER means "not supported".
"""

from collections.abc import Iterable

import numpy as np

from src.evaluation.figures import Floats, Statistic, mean_of
from src.records import Value


def supported(values: Iterable[Value]) -> Floats:
    """[claims]: 1 for `supports`, 0 for `refutes`."""
    return np.array([float(value is Value.TRUE) for value in values])


def macro_f1(gold: Floats, said: Floats) -> Statistic:
    """Both [claims], 0 or 1; a share of `said` counts in part, so that 0.5 gives what a coin may expect."""

    def score(counts: Floats) -> Floats:
        return (_f1(gold, said, counts) + _f1(1 - gold, 1 - said, counts)) / 2

    return score


def accuracy(gold: Floats, said: Floats) -> Statistic:
    """The share of claims with the right label; arguments as for `macro_f1`."""
    return mean_of(gold * said + (1 - gold) * (1 - said))


def _f1(gold: Floats, said: Floats, counts: Floats) -> Floats:
    bottom = (gold + said) @ counts
    return np.divide(2 * (gold * said) @ counts, bottom, out=np.zeros_like(bottom), where=bottom > 0)
