"""The stacker's regression: multinomial logistic, on features of held-out claims, scored by cross-fitting.

The claims are divided into parts by their kind of evidence. All parts have equal total weight. Within a part, a claim's
weight is the number of claims with its verdict, to the power of minus `balance`. Cross-fitting puts all variants of a
claim into the same fold.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from src.errors import InputError
from src.records import VERDICTS, Level
from src.stance.levels import Levels, fit_levels
from src.training.calibration import FOLDS, calibration_error, class_scores, log_loss
from src.training.passages.mixed import AVERITEC, RETRIEVED
from src.training.split import number_of

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

FIRM, LEANING, ALPHA, FEWEST = 0.85, 0.65, 0.1, 40  # precisions, share of misses, claims
FEWEST_VERDICTS = 3


class Fitted:
    """A fitted multinomial logistic regression.

    `means`, `scales`: [features], with which features are standardized.
    `weights`: [verdicts, features].
    `biases`: [verdicts].

    Raises InputError when the claims have too few different verdicts.
    """

    def __init__(self, features: Floats, labels: Ints, weights: Floats, strength: float) -> None:
        from sklearn.linear_model import LogisticRegression

        if len(np.unique(labels)) < FEWEST_VERDICTS:
            raise InputError(f"held-out claims of at least {FEWEST_VERDICTS} verdicts are needed in every fold")
        self.means, self.scales = features.mean(0), np.maximum(features.std(0), 1e-6)
        model = LogisticRegression(C=strength, max_iter=2000)
        model.fit((features - self.means) / self.scales, labels, sample_weight=weights)
        self.weights = np.zeros((len(VERDICTS), features.shape[1]))
        self.biases = np.full(len(VERDICTS), -20.0)  # the bias of a verdict that no claim has
        self.weights[model.classes_], self.biases[model.classes_] = model.coef_, model.intercept_

    def chances(self, features: Floats) -> Floats:
        """Return the probabilities of the verdicts, [claims, verdicts], for features [claims, features]."""
        logits = (features - self.means) / self.scales @ self.weights.T + self.biases
        powers = np.exp(logits - logits.max(1, keepdims=True))
        chances: Floats = powers / powers.sum(1, keepdims=True)
        return chances


def sample_weights(parts: Sequence[str], labels: Ints, balance: float) -> Floats:
    """Return each claim's weight in the regression, with a mean of 1. All parts have equal total weight.

    `balance`: within a part, a claim's weight is (claims with its verdict) ** -balance.
    """
    names = np.array(parts)
    weights = np.ones(len(labels))
    for part in np.unique(names):
        own = names == part
        sizes = np.bincount(labels[own], minlength=len(VERDICTS))
        weights[own] = sizes[labels[own]].astype(float) ** -balance
        weights[own] /= weights[own].sum()
    mean_one: Floats = weights * len(weights) / weights.sum()
    return mean_one


def cross_fitted(features: Floats, labels: Ints, weights: Floats, keys: Sequence[str], strength: float) -> Floats:
    """Return out-of-fold probabilities, [claims, verdicts]: a claim's regression is fitted on the other folds.

    Claims with equal `keys` are in the same fold.
    """
    folds = np.array([int(number_of("stacking", key) * FOLDS) for key in keys])
    chances = np.zeros((len(labels), len(VERDICTS)))
    for fold in range(FOLDS):
        own = folds == fold
        if own.any():
            chances[own] = Fitted(features[~own], labels[~own], weights[~own], strength).chances(features[own])
    return chances


def scores_of(part: str, chances: Floats, labels: Ints) -> dict[str, float]:
    """Return accuracy, macro-F1, log-loss and calibration error of the probabilities of one part's claims."""
    accuracy, f1 = class_scores(chances.argmax(1), labels, len(VERDICTS))
    return {
        f"{part} accuracy": accuracy,
        f"{part} macro-F1": sum(f1) / len(f1),
        f"{part} log-loss": log_loss(np.log(np.maximum(chances, 1e-9)), labels),
        f"{part} ECE": calibration_error(chances, labels),
    } | {f"{part} F1 {verdict}": value for verdict, value in zip(VERDICTS, f1, strict=True)}


def levels_of(chances: Floats, labels: Ints, parts: Sequence[str]) -> Levels:
    """Fit the thresholds of the reliability levels on out-of-fold probabilities (`fit_levels`).

    A level's precision must hold in each part. Claims of AVeriTeC (gold or retrieved evidence) count as claims like
    those that users check.
    """
    rows, places, in_use = chances.tolist(), labels.tolist(), (AVERITEC, RETRIEVED)
    return fit_levels(rows, places, firm=FIRM, leaning=LEANING, alpha=ALPHA, fewest=FEWEST, parts=parts, in_use=in_use)


def level_scores(part: str, levels: Levels, chances: Floats, labels: Ints) -> dict[str, float]:
    """Return scores of one part: precision and share of each level, coverage and mean size of the conformal sets."""
    scores: dict[str, float] = {}
    rows = [dict(zip(VERDICTS, map(float, row), strict=True)) for row in chances]
    guesses = [max(VERDICTS, key=row.__getitem__) for row in rows]
    right = np.array([VERDICTS.index(one) for one in guesses]) == labels
    reached = [levels.of(row, guess) for row, guess in zip(rows, guesses, strict=True)]
    for level in Level:
        own = np.array([one is level for one in reached])
        scores[f"{part} {level} share"] = float(own.mean())
        if own.any():
            scores[f"{part} {level} precision"] = float(right[own].mean())
    sets = [levels.set_of(row) for row in rows]
    scores[f"{part} coverage"] = float(
        np.mean([VERDICTS[label] in own for own, label in zip(sets, labels, strict=True)])
    )
    scores[f"{part} set size"] = float(np.mean([len(own) for own in sets]))
    return scores
