"""Comparison of two runs on their common claims: differences of scores, and changes from the other run to this one.

Intervals of differences are paired: both runs are scored on the same resampled claims. McNemar's test compares how many
verdicts are right (`src/evaluation/bootstrap.py`).
"""

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from src.errors import InputError
from src.evaluation.aggregate import FIGURES, Tally, main_figures
from src.evaluation.averitec import ClaimScore
from src.evaluation.bootstrap import Figure, Floats, Statistic, figures, mcnemar
from src.evaluation.tables import difference, interval, number, verdict
from src.records import VERDICTS, Level, Prediction
from src.report.charts import ChartFigure, DataTable, IntervalChart, IntervalRow
from src.report.rendering import Link, page
from src.report.run import Run
from src.runner.claim_range import in_words

CHANGES = ("turned right", "turned wrong", "evidence better", "evidence worse", "verdict differs")
NOTABLE = 0.05  # changes of Q+A above this are named
Scores = Mapping[int, ClaimScore]


class BothClaim(msgspec.Struct, frozen=True):
    """A claim that both runs have, with its results in this run and in the other run.

    `verdict`, `other_verdict`: predicted verdict.
    `gold`: gold label; None if unknown.
    `score`, `other_score`: Q+A score; None without a label.
    `level`, `other_level`: level of the verdict; None if the verdict model has no levels.
    """

    claim_id: int
    claim: str
    verdict: str
    other_verdict: str
    gold: str | None = None
    score: float | None = None
    other_score: float | None = None
    level: Level | None = None
    other_level: Level | None = None

    @property
    def rise(self) -> float | None:
        """Change of the Q+A score from the other run to this run; None without a label."""
        return None if self.score is None or self.other_score is None else self.score - self.other_score

    @property
    def changes(self) -> tuple[str, ...]:
        """Names of the changes from the other run to this run (`CHANGES`); empty if nothing notable changed."""
        changes = []
        if self.verdict != self.other_verdict:
            changes.append("verdict differs")
            if self.gold in (self.verdict, self.other_verdict):
                changes.append("turned right" if self.gold == self.verdict else "turned wrong")
        if self.rise is not None and abs(self.rise) > NOTABLE:
            changes.append("evidence better" if self.rise > 0 else "evidence worse")
        return tuple(changes)


class ScoreBeside(msgspec.Struct, frozen=True):
    """A score in both runs, as a row of the comparison.

    `name`: name of the score, one of `FIGURES`.
    `this`: score of this run; its `to_first` is the difference, this run minus the other run.
    `other`: score of the other run.
    """

    name: str
    this: Figure
    other: Figure


class Comparison(msgspec.Struct, frozen=True):
    """Comparison of a run with another run.

    `name`, `other`: names of the runs.
    `rows`: the common claims.
    `only_this`, `only_other`: claim_ids that only one run has.
    `scores`: scores of both runs; empty if some claim has no label.
    `p`: p-value of McNemar's test; None if some claim has no label.
    """

    name: str
    other: str
    rows: Sequence[BothClaim]
    only_this: Sequence[int]
    only_other: Sequence[int]
    scores: Sequence[ScoreBeside] = ()
    p: float | None = None

    def count(self, change: str) -> int:
        return sum(change in row.changes for row in self.rows)


def compare(run: Run, scores: Scores, other: Run, other_scores: Scores) -> Comparison:
    """Return the comparison of two runs; `scores` and `other_scores` are those of their labeled claims.

    Raises InputError when no claim is common to both runs, or a claim has different texts.
    """
    theirs = {one.claim_id: one for one in other.predictions}
    both = [one for one in run.predictions if one.claim_id in theirs]
    if not both:
        raise InputError(f"has no claim of {run.folder}", path=other.folder)
    ids = {one.claim_id for one in both}
    rows = [_both(one, theirs[one.claim_id], other, scores, other_scores) for one in both]
    has_labels = all(row.score is not None and row.other_score is not None for row in rows)
    comparison = Comparison(
        name=run.name,
        other=other.name,
        rows=rows,
        only_this=[one.claim_id for one in run.predictions if one.claim_id not in ids],
        only_other=sorted(theirs.keys() - ids),
    )
    return _scored(comparison, scores, other_scores) if has_labels else comparison


def _scored(comparison: Comparison, scores: Scores, other_scores: Scores) -> Comparison:
    ids = [row.claim_id for row in comparison.rows]
    this, other = Tally([scores[one] for one in ids]), Tally([other_scores[one] for one in ids])
    names = [name for name in FIGURES if name != FIGURES[0] or (this.has_questions and other.has_questions)]
    beside = [(name, figures([_statistic(other, name), _statistic(this, name)], len(ids), 0)) for name in names]
    return msgspec.structs.replace(
        comparison,
        scores=[ScoreBeside(name, this=ours, other=theirs) for name, (theirs, ours) in beside],
        p=mcnemar(comparison.count("turned right"), comparison.count("turned wrong")),
    )


def _statistic(tally: Tally, name: str) -> Statistic:
    def resampled(counts: Floats) -> Floats:
        values = main_figures(tally.resampled(counts, np.copy))[name]
        assert values is not None
        return values

    return resampled


def _both(one: Prediction, theirs: Prediction, other: Run, scores: Scores, other_scores: Scores) -> BothClaim:
    if one.claim.split() != theirs.claim.split():
        raise InputError(f"claim {one.claim_id} has another text than in the run it is compared with",
                         path=other.folder, field="claim")  # fmt: skip
    ours, other_score = scores.get(one.claim_id), other_scores.get(one.claim_id)
    return BothClaim(
        claim_id=one.claim_id,
        claim=one.claim,
        verdict=str(one.pred_label),
        other_verdict=str(theirs.pred_label),
        gold=str(ours.label) if ours else None,
        score=ours.question_answer if ours else None,
        other_score=other_score.question_answer if other_score else None,
        level=one.level,
        other_level=theirs.level,
    )


class Alone(msgspec.Struct, frozen=True):
    """Claims that only the run `name` has; `ids` are their claim_ids as text."""

    name: str
    count: int
    ids: str


def compare_page(comparison: Comparison, links: Sequence[Link], here: str) -> str:
    """Return the HTML of the comparison; `links` are at its top, and `here` is the page's own address."""
    alone = ((comparison.name, comparison.only_this), (comparison.other, comparison.only_other))
    return page(
        "compare.html",
        script="claims.js",
        comparison=comparison,
        links=links,
        here=here,
        figure_of_scores=_figure(comparison.scores) if comparison.scores else None,
        alone=[Alone(name, len(ids), in_words(ids)) for name, ids in alone if ids],
        changes=[(one, comparison.count(one)) for one in CHANGES if comparison.scores or one == "verdict differs"],
        rows=[
            row for row in comparison.rows if (row.changes if comparison.scores else row.verdict != row.other_verdict)
        ],
        verdicts=VERDICTS,
    )


def _figure(scores: Sequence[ScoreBeside]) -> ChartFigure:
    rows = [
        IntervalRow(one.name, one.this.to_first.value, *one.this.to_first.interval)
        for one in scores
        if one.this.to_first
    ]
    description = "; ".join(f"{one.name} {difference(one.this.to_first)}" for one in scores)
    chart = IntervalChart("Difference of each score", description, rows, "this run less the other, 95 %", sign=True)
    caption = (
        "Right of 0 this run is better. Intervals are paired: both runs on the same 1,000 resamples of the claims."
    )
    return ChartFigure(chart.drawing, caption, _table(scores))


def _table(scores: Sequence[ScoreBeside]) -> DataTable:
    head = (
        "Score",
        "This run",
        "95 % interval",
        "Other run",
        "95 % interval",
        "Difference, 95 % interval",
        "This run is",
    )
    return DataTable("Scores of both runs", head, [
        (one.name, number(one.this.value), interval(one.this.interval), number(one.other.value),
         interval(one.other.interval), difference(one.this.to_first),
         verdict(one.this.to_first, fewer_is_better=False))
        for one in scores
    ])  # fmt: skip
