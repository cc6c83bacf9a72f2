"""Metric of ProgramFC: macro-F1, the mean of the F1 of the labels `supports` and `refutes`; and trivial baselines.

    F1(label) = 2 TP / (predicted + gold), 0 where both are 0, as in scikit-learn

Pan et al., "Fact-Checking Complex Claims with Program-Guided Reasoning", ACL 2023, Table 1. A trace has four values:
true counts as `supports`; false, unknown and conflicting count as `refutes`, which in HOVER means "not supported".

The baselines check nothing. On all of FEVEROUS-S's dev part `refutes` for every claim has 34.37, `supports` 32.27, and
"more than one gold sentence: supports" 83.16. The lexical baseline refutes a claim if too many of its words are missing
in its gold evidence. Its threshold is fitted on twenty sampled claims, because the baselines of ProgramFC are trained
on twenty. Fifty samples show how much the result depends on the sample. A system with gold evidence must beat this
baseline before it can be said to reason.
"""

from collections.abc import Iterable, Sequence
from random import Random

import msgspec
import numpy as np

from src.claims import LabelledClaim
from src.errors import InputError
from src.evaluation.bootstrap import Floats, Statistic, mean_of, once
from src.programs.records import TwoLabel
from src.records import Value
from src.text import same, stop_words


def supported(values: Iterable[Value]) -> Floats:
    """Return the two-way labels of values: 1 for `supports` (true), 0 for `refutes` (all others), shape [claims]."""
    return np.array([float(value is Value.TRUE) for value in values])


def macro_f1(gold: Floats, predicted: Floats) -> Statistic:
    """Return the function that computes macro-F1 from weights of the claims; the bootstrap calls it for each resample.

    `gold`: gold labels, 1 for `supports` and 0 for `refutes`, shape [claims].
    `predicted`: predicted labels in the same form; a value between 0 and 1 counts in part: 0.5 gives the expected score
        of a coin.
    """

    def score(counts: Floats) -> Floats:
        return (_f1(gold, predicted, counts) + _f1(1 - gold, 1 - predicted, counts)) / 2

    return score


def accuracy(gold: Floats, predicted: Floats) -> Statistic:
    """Return the function that computes accuracy, the share of claims with the right label, from weights of the claims.

    `gold` and `predicted` are labels, 1 for `supports` and 0 for `refutes`, shape [claims].
    """
    return mean_of(gold * predicted + (1 - gold) * (1 - predicted))


def _f1(gold: Floats, predicted: Floats, counts: Floats) -> Floats:
    bottom = (gold + predicted) @ counts
    return np.divide(2 * (gold * predicted) @ counts, bottom, out=np.zeros_like(bottom), where=bottom > 0)


class Spread(msgspec.Struct, frozen=True):
    """Mean and standard deviation (of the population, not of a sample) of a score over samples or seeds."""

    mean: float
    deviation: float


class Baselines(msgspec.Struct, frozen=True):
    """Scores of the trivial baselines on a group of claims: macro-F1, 0 to 1.

    `majority`: the label of most claims.
    `all_supports`, `all_refutes`: the same label for every claim.
    `coin`: a random label.
    `passages`: `supports` for claims with more than one gold passage; None if no claim has exactly one.
    `novelty`: the lexical baseline; None without claims to fit it on.
    """

    majority: str
    all_supports: float
    all_refutes: float
    coin: float
    passages: float | None
    novelty: Spread | None


def baselines(golds: Sequence[LabelledClaim], novelty: Sequence[Floats]) -> Baselines:
    """Return the scores of the trivial baselines on the claims `golds`.

    `novelty` has the predictions of the lexical baseline for each sample on which it was fitted; it may be empty.
    """
    gold = supported(claim.value for claim in golds)
    passages = np.array([float(len(claim.gold) > 1) for claim in golds])
    scores = [_score(gold, predicted) for predicted in novelty]
    return Baselines(
        majority=TwoLabel.SUPPORTS if gold.mean() > 0.5 else TwoLabel.REFUTES,
        all_supports=_score(gold, np.ones_like(gold)),
        all_refutes=_score(gold, np.zeros_like(gold)),
        coin=_score(gold, np.full_like(gold, 0.5)),
        passages=_score(gold, passages) if any(len(claim.gold) == 1 for claim in golds) else None,
        novelty=Spread(float(np.mean(scores)), float(np.std(scores))) if scores else None,
    )


def _score(gold: Floats, predicted: Floats) -> float:
    return once(macro_f1(gold, predicted), len(gold))


SHOTS, DRAWS = 20, 50


def novelty(claim: LabelledClaim) -> float:
    """Return the share of a claim's distinct content words that are in none of its evidence, 0 to 1."""
    claim_words = set(same(claim.claim).split()) - stop_words()
    known = {word for passage in claim.gold for word in same(passage.sentence).split()}
    return len(claim_words - known) / max(1, len(claim_words))


def guesses(claims: Sequence[LabelledClaim], tune: Sequence[LabelledClaim], seed: int) -> list[Floats]:
    """Return the predictions of the lexical baseline, fitted on each of `DRAWS` samples of 20 claims of `tune`.

    There is one array per sample, shape [claims], with 1 for `supports`. The samples are drawn with `seed`. Raises
    InputError when `tune` has fewer than 20 claims.
    """
    if len(tune) < SHOTS:
        raise InputError(f"--tune_ids: {len(tune)} claims with evidence, but a draw needs {SHOTS}")
    drawn = Random(seed)
    values = np.array([novelty(claim) for claim in claims])
    thresholds = [_fitted(drawn.sample(tune, SHOTS)) for _ in range(DRAWS)]
    return [(values <= threshold).astype(float) for threshold in thresholds]


def _fitted(shots: Sequence[LabelledClaim]) -> float:
    """Return the threshold of the lexical baseline with the best macro-F1 on the claims `shots`.

    A claim is `supports` if its novelty is at most the threshold. Candidates are the midpoints between neighboring
    values, one below the smallest value, and the largest value. Of several best ones, the middle one is returned.
    """
    gold = supported(claim.value for claim in shots)
    values = np.array([novelty(claim) for claim in shots])
    steps = np.unique(values)
    tried = np.concatenate([steps[:1] - 1, (steps[1:] + steps[:-1]) / 2, steps[-1:]])
    scores = np.array([once(macro_f1(gold, (values <= one).astype(float)), len(shots)) for one in tried])
    best = tried[scores == scores.max()]
    return float(best[len(best) // 2])
