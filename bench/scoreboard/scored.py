"""One row of the scoreboard: predictions scored by the evaluator's own code, and the gold answers that they cover."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from bench.coverage import answer_words, cover
from bench.scoreboard.record import Coverage, Figure, Kind, Row, StepRecord
from src.evaluation.aggregate import Scores, Tally, main_figures
from src.evaluation.averitec import Guess, score
from src.evaluation.bootstrap import RESAMPLES, TAILS, draws
from src.evaluation.scoreboard import evaluate
from src.prediction.prediction_files import join, labelled, read_guesses
from src.records import Claim

Floats = NDArray[np.float64]


class Gold(msgspec.Struct):
    """Labeled claims to score, and the ids of all claims in their label file."""

    labels: Path
    claims: Sequence[Claim]
    known: Sequence[int]


class Scored:
    """A row, and what it takes to compare it with another one claim by claim."""

    def __init__(self, row: Row, tally: Tally) -> None:
        self.row = row
        self._tally = tally

    def beside(self, other: "Scored") -> None:
        """Notes in the row by how much it is above another one; intervals on the same resamples of the claims."""
        claims = self._tally.tops.shape[1]
        counts = np.hstack([np.ones((claims, 1)), draws(claims, 0, RESAMPLES)])  # the first is every claim once
        above = _above(self._tally.resampled(counts, np.copy), other._tally.resampled(counts, np.copy))
        self.row.over[other.row.system] = {
            name: Figure(float(values[0]), *map(float, np.nanpercentile(values[1:], TAILS)))
            for name, values in above.items()
        }


def _above(ours: Scores[Floats], theirs: Scores[Floats]) -> dict[str, Floats]:
    """Score by score; those that both have."""
    mine, other = main_figures(ours), main_figures(theirs)
    pairs = ((name, mine[name], other[name]) for name in mine)
    return {name: one - another for name, one, another in pairs if one is not None and another is not None}


def scored(
    evidence: str,
    system: str,
    kind: Kind,
    gold: Gold,
    predictions: Path,
    *,
    steps: dict[str, StepRecord] | None = None,
    covers: bool = True,
) -> Scored:
    """Return the scores of a prediction file on these claims, as `evaluate_veracity` computes them. Raises InputError.

    With `covers` False, the coverage of gold answers is not computed: the evidence is the gold answers themselves.
    """
    golds = labelled(gold.claims, gold.labels)
    guesses = join(gold.claims, read_guesses(predictions), predictions, known=gold.known)
    row = Row(
        evidence=evidence,
        system=system,
        kind=kind,
        claims=(gold.claims[0].claim_id, gold.claims[-1].claim_id + 1),
        pairs=max((len(guess.evidence) for guess in guesses), default=0),
        scores=evaluate(golds, guesses),
        covered=coverage(gold.claims, guesses) if covers else None,
        steps=steps or {},
        mean_pairs=round(sum(len(guess.evidence) for guess in guesses) / len(guesses), 3),
    )
    return Scored(row, Tally([score(one, guess) for one, guess in zip(golds, guesses, strict=True)]))


def coverage(claims: Sequence[Claim], guesses: Sequence[Guess]) -> Coverage:
    """Return the share of gold answers that the answers of the evidence cover; a copy of the claim covers none."""
    covered = [
        cover(answer_words(claim), [pair.answer for pair in guess.pairs])
        for claim, guess in zip(claims, guesses, strict=True)
    ]
    answers = np.array([one.answers for one in covered], dtype=np.float64)
    together = np.array([one.together for one in covered], dtype=np.float64)
    single = np.array([one.single for one in covered], dtype=np.float64)
    return Coverage(int(answers.sum()), _share(together, answers), _share(single, answers))


def _share(tops: Floats, bottoms: Floats) -> Figure:
    """The sum by the sum; resamples of claims that have no answer are left out."""
    counts = draws(len(tops), 0, RESAMPLES)
    below = bottoms @ counts
    low, high = np.percentile((tops @ counts)[below > 0] / below[below > 0], TAILS) if below.any() else (0.0, 0.0)
    return Figure(float(tops.sum() / max(1.0, bottoms.sum())), float(low), float(high))
