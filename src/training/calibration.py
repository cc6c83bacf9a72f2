"""Calibration of a classifier: temperature for its probabilities, and biases for its decisions.

Both are fitted on held-out claims. These are divided into parts by their kind of evidence. A part is a pair of logits
[claims, classes] and labels [claims].

    temperature   the number by which logits are divided; it minimizes the log-loss (Guo et al. 2017), averaged over
                  the parts with equal weight
    biases        a multiple of the classes' log-frequencies, subtracted from log-probabilities (Menon et al. 2021);
                  they help rare classes, and the multiple maximizes the mean of accuracy and macro-F1
    ECE           expected calibration error: |accuracy - mean probability of the predicted class|, averaged over ten
                  bins of this probability, weighted by the number of claims in a bin

Each fit has only one parameter, because there are only a few hundred held-out claims. Reported scores are cross-fitted:
temperature and biases are fitted on four fifths of the claims and applied to the last fifth.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

BINS = 10
FOLDS = 5
STRENGTHS = np.round(np.arange(-0.5, 1.55, 0.05), 2)
TEMPERATURES = (0.1, 10.0)


def log_softmax(logits: Floats) -> Floats:
    """Return the log-probabilities of logits; the classes are the last axis."""
    shifted = logits - logits.max(axis=-1, keepdims=True)
    log_probabilities: Floats = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return log_probabilities


def log_loss(logits: Floats, labels: Ints) -> float:
    """Return the mean negative log-likelihood of the labels [rows] under logits [rows, classes]."""
    return float(-log_softmax(logits)[np.arange(len(labels)), labels].mean())


def mean_log_loss(parts: Sequence[tuple[Floats, Ints]]) -> float:
    """Return the mean of the parts' log-losses. All parts have equal weight, whatever their number of claims."""
    return float(np.mean([log_loss(logits, labels) for logits, labels in parts]))


def fit_temperature(parts: Sequence[tuple[Floats, Ints]]) -> float:
    """Return the temperature that minimizes the mean log-loss of the parts, with four decimals."""
    from scipy.optimize import minimize_scalar

    def loss(log: float) -> float:
        return mean_log_loss([(logits / np.exp(log), labels) for logits, labels in parts])

    minimum: Any = minimize_scalar(loss, bounds=tuple(np.log(TEMPERATURES)), method="bounded")
    return round(float(np.exp(minimum.x)), 4)


def calibration_error(probabilities: Floats, labels: Ints) -> float:
    """Return the expected calibration error (ECE) of probabilities [claims, classes]."""
    best, right = probabilities.max(axis=1), probabilities.argmax(axis=1) == labels
    bins = np.minimum((best * BINS).astype(int), BINS - 1)
    gaps = [abs(float((right[bins == place] - best[bins == place]).sum())) for place in range(BINS)]
    return sum(gaps) / max(1, len(labels))


def class_scores(guessed: Ints, labels: Ints, classes: int) -> tuple[float, list[float]]:
    """Return the accuracy of predicted classes, and F1 of each class (0 for a class never labeled or predicted).

    `guessed`, `labels`: predicted class and label of each row, as indices from 0.
    `classes`: number of classes.
    """
    both = [int(((guessed == one) & (labels == one)).sum()) for one in range(classes)]
    either = [int((guessed == one).sum() + (labels == one).sum()) for one in range(classes)]
    return float((guessed == labels).mean()), [2 * hit / max(1, of) for hit, of in zip(both, either, strict=True)]


def worth(guessed: Ints, labels: Ints, classes: int) -> float:
    """Return the mean of accuracy and macro-F1 of predicted classes, the model-selection metric of this module."""
    accuracy, f1 = class_scores(guessed, labels, classes)
    return (accuracy + sum(f1) / classes) / 2


def fit_biases(parts: Sequence[tuple[Floats, Ints]]) -> Floats:
    """Return one bias per class, to be added to log-probabilities before the best class is chosen.

    The biases maximize the mean `worth` over the parts; of equally good biases, the smallest are returned. A part has
    log-probabilities in place of logits here.
    """
    frequency = np.log(_frequencies(parts))

    def mean_worth(strength: float) -> float:
        biased = ((scores - strength * frequency).argmax(1) for scores, _ in parts)
        return float(
            np.mean([worth(guessed, part[1], len(frequency)) for guessed, part in zip(biased, parts, strict=True)])
        )

    best = max(STRENGTHS, key=lambda strength: (round(mean_worth(strength), 6), -abs(strength)))
    biases: Floats = best * (frequency.max() - frequency) + 0.0  # no minus zero
    return biases


def folds_of(parts: Sequence[Sequence[str]]) -> list[Ints]:
    """Return the cross-fitting fold, 0 to FOLDS - 1, of each claim in each part.

    `parts` has the texts of the claims. A claim that is in several parts has the same fold in all of them.
    """
    numbers: dict[str, int] = {}
    return [np.array([numbers.setdefault(claim, len(numbers)) % FOLDS for claim in part], np.int64) for part in parts]


def cross_fitted(
    parts: Sequence[tuple[Floats, Ints]], folds: Sequence[Ints], *, calibrate: bool = True
) -> tuple[list[Floats], list[Ints]]:
    """Return out-of-fold log-probabilities and predicted classes of each part.

    For each fold, temperature and biases are fitted on the other folds.

    `folds`: the fold of each claim of each part (`folds_of`).
    `calibrate`: if False, no temperature is fitted: it is 1.
    """
    scaled = [np.zeros(logits.shape) for logits, _ in parts]
    decided = [np.zeros(len(labels), np.int64) for _, labels in parts]
    for fold in range(FOLDS):
        inside = [own == fold for own in folds]
        rest = [(logits[~own], labels[~own]) for (logits, labels), own in zip(parts, inside, strict=True)]
        temperature, biases = fit_decision([part for part in rest if len(part[1])] or parts, calibrate=calibrate)
        for place, own in enumerate(inside):
            scaled[place][own] = log_softmax(parts[place][0][own] / temperature)
            decided[place][own] = (scaled[place][own] + biases).argmax(1)
    return scaled, decided


def fit_decision(parts: Sequence[tuple[Floats, Ints]], *, calibrate: bool = True) -> tuple[float, Floats]:
    """Fit the temperature, and one bias per class, on all parts; return both.

    The temperature is 1 if `calibrate` is False.
    """
    temperature = fit_temperature(parts) if calibrate else 1.0
    return temperature, fit_biases([(log_softmax(logits / temperature), labels) for logits, labels in parts])


def _frequencies(parts: Sequence[tuple[Floats, Ints]]) -> Floats:
    """Return each class's share of all labels of the parts. Each count is raised by 1 to avoid zeros."""
    classes = parts[0][0].shape[1]
    counts = np.bincount(np.concatenate([labels for _, labels in parts]), minlength=classes) + 1.0
    frequencies: Floats = counts / counts.sum()
    return frequencies
