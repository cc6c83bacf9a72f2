"""Aggregation over claims: means, the AVeriTeC score at its levels, scores by claim type, F1 by verdict.

    AVeriTeC score @ L   share of claims with the right verdict and Q+A > L (strictly)
    by type              mean over the claims of one type; a claim counts with its Q+A if that is > 0.25, else with 0
                         (the verdict has no effect)
    F1                   2 TP / (predicted + gold) by verdict, 0 if both are 0, as in scikit-learn
    macro                mean of the four F1

All of these except macro are a ratio of two sums over claims. A set of claims is therefore stored as two matrices
(`Tally`), and the scores of a thousand resamples are one matrix product.

A threshold curve has the AVeriTeC score at every threshold for Q+A METEOR, not only at the published .25. Each score
has a 95 % interval, by the same resamples of the claims.

Limitations: needs the scores of each claim; texts are compared in `averitec.py`.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from src.evaluation.averitec import ClaimScore
from src.evaluation.bootstrap import RESAMPLES, TAILS, Interval, draws, percentiles
from src.records import VERDICTS, Verdict

LEVELS = (0.1, 0.2, 0.25, 0.3, 0.4, 0.5)
TYPE_LEVEL = 0.25

Floats = NDArray[np.float64]
V = TypeVar("V")

FIGURES = ("Q", "Q+A", "@.25", "accuracy", "macro-F1")
THRESHOLDS = tuple(step / 20 for step in range(21))


class Scores(msgspec.Struct, Generic[V]):
    """All scores of a set of claims, as numbers or as intervals.

    `question_only`: Q; None if the predictions have no separate questions.
    `question_answer`: Q+A.
    `averitec`: AVeriTeC score by level, such as "0.25".
    `veracity`: F1 by verdict, their mean as "macro", and the accuracy as "acc".
    `by_type`: score by claim type.
    """

    question_only: V | None
    question_answer: V
    averitec: dict[str, V]
    veracity: dict[str, V]
    by_type: dict[str, V]


class Tally:
    """The claims' scores as two matrices, from which all scores of any resample of the claims are computed.

    `tops`, `bottoms`: numerators and denominators, [scores, claims]. Score k of the claims is the sum of row k of
        `tops`, divided by the sum of row k of `bottoms`.
    `types`: claim types that occur, sorted.
    `has_questions`: True if all predictions have separate questions.
    """

    def __init__(self, claims: Sequence[ClaimScore]) -> None:
        self.types = sorted({name for claim in claims for name in claim.claim_types})
        self.has_questions = bool(claims) and all(claim.question_only is not None for claim in claims)
        answers = np.array([claim.question_answer for claim in claims])
        right = np.array([claim.guessed is claim.label for claim in claims], dtype=float)
        tops = [np.array([claim.question_only or 0.0 for claim in claims]), answers, right]
        tops += [right * (answers > level) for level in LEVELS]
        bottoms = [np.ones(len(claims))] * len(tops)
        for name in self.types:
            bottoms.append(np.array([name in claim.claim_types for claim in claims], dtype=float))
            tops.append(bottoms[-1] * np.where(answers > TYPE_LEVEL, answers, 0.0))
        for verdict in VERDICTS:
            gold = np.array([claim.label is verdict for claim in claims], dtype=float)
            bottoms.append(gold + np.array([claim.guessed is verdict for claim in claims], dtype=float))
            tops.append(2 * gold * right)
        self.tops, self.bottoms = np.array(tops), np.array(bottoms)

    def scores(self) -> Scores[float]:
        """Return all scores, computed over all claims."""
        return self._table(self.tops.sum(axis=1), self.bottoms.sum(axis=1), float)

    def resampled(self, counts: Floats, summary: Callable[[Floats], V]) -> Scores[V]:
        """Return all scores, computed over resamples of the claims.

        `counts` [claims, resamples] is how often each resample contains a claim. `summary` reduces the values that one
        score has in the resamples, such as to an interval. The value of a claim type is NaN in a resample that has no
        claim of this type.
        """
        return self._table(self.tops @ counts, self.bottoms @ counts, summary)

    def _table(self, tops: Floats, bottoms: Floats, summary: Callable[[Floats], V]) -> Scores[V]:
        ratios = np.divide(tops, bottoms, out=np.full_like(tops, np.nan), where=bottoms > 0)
        f1 = np.nan_to_num(ratios[-len(VERDICTS) :])
        values = iter(ratios)  # in the order of __init__
        question_only, question_answer, accuracy = (summary(next(values)) for _ in range(3))
        return Scores(
            question_only=question_only if self.has_questions else None,
            question_answer=question_answer,
            averitec={str(level): summary(next(values)) for level in LEVELS},
            by_type={name: summary(next(values)) for name in self.types},
            veracity={verdict.value: summary(row) for verdict, row in zip(VERDICTS, f1, strict=True)}
            | {"macro": summary(f1.mean(axis=0)), "acc": accuracy},
        )


def main_figures(scores: Scores[V]) -> dict[str, V | None]:
    """Return the main scores by the names in FIGURES; Q is None if the predictions have no separate questions."""
    level, judged = scores.averitec["0.25"], scores.veracity
    values = (scores.question_only, scores.question_answer, level, judged["acc"], judged["macro"])
    return dict(zip(FIGURES, values, strict=True))


class ConfusionRow(msgspec.Struct, frozen=True):
    """Row of the confusion matrix: the claims of one label, counted by predicted verdict in the order of VERDICTS."""

    label: Verdict
    counts: tuple[int, ...]

    @property
    def claims(self) -> int:
        return sum(self.counts)

    @property
    def shares(self) -> tuple[float, ...]:
        """Return the counts as shares of the label's claims; 0 if it has none."""
        return tuple(count / self.claims if self.claims else 0.0 for count in self.counts)


def confusion(claims: Iterable[ClaimScore]) -> list[ConfusionRow]:
    """Return the confusion matrix, a row for each label. A claim without a predicted verdict is not counted."""
    counts = Counter((one.label, one.guessed) for one in claims)
    return [ConfusionRow(label, tuple(counts[label, guessed] for guessed in VERDICTS)) for label in VERDICTS]


class ThresholdCurve(msgspec.Struct, frozen=True):
    """AVeriTeC score (`values`) at each of THRESHOLDS, with both ends of its 95 % interval."""

    values: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


def threshold_curve(claims: Sequence[ClaimScore], seed: int = 0) -> ThresholdCurve:
    """Return the AVeriTeC score at each threshold. At least one claim is needed. The same seed gives identical
    results.
    """
    right = np.array([one.guessed is one.label for one in claims])
    answers = np.array([one.question_answer for one in claims])
    passed = (right & (answers > np.array(THRESHOLDS)[:, np.newaxis])).astype(float)
    resampled = passed @ draws(len(claims), seed, RESAMPLES) / len(claims)
    low, high = np.percentile(resampled, TAILS, axis=1)
    return ThresholdCurve(*(tuple(map(float, line)) for line in (passed.mean(axis=1), low, high)))


def intervals(tally: Tally, seed: int = 0, resamples: int = RESAMPLES) -> Scores[Interval]:
    """Return the 95 % interval of every score, by bootstrap. The same seed gives identical results."""
    return tally.resampled(draws(tally.tops.shape[1], seed, resamples), percentiles)
