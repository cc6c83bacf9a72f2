"""HTML of the comparison of two runs."""

from collections.abc import Sequence

import msgspec

from src.evaluation.cells import difference, interval, number, verdict
from src.records import VERDICTS
from src.report.beside.compared import Compared, ScoreBeside
from src.report.charts.figure import ChartFigure, DataTable
from src.report.charts.interval_chart import IntervalChart, IntervalRow, interval_chart
from src.report.claim.page import Link
from src.report.look import page
from src.runner.claim_range import in_words

CHANGES = ("turned right", "turned wrong", "evidence better", "evidence worse", "verdict differs")


class Alone(msgspec.Struct, frozen=True):
    """The claims of one run alone."""

    name: str
    count: int
    ids: str


def compare_page(found: Compared, links: Sequence[Link], here: str) -> str:
    alone = ((found.name, found.only_this), (found.other, found.only_other))
    return page(
        "compare.html",
        script="claims.js",
        found=found,
        links=links,
        here=here,
        figure_of_scores=_figure(found.scores) if found.scores else None,
        alone=[Alone(name, len(ids), in_words(ids)) for name, ids in alone if ids],
        changes=[(one, found.count(one)) for one in CHANGES if found.scores or one == "verdict differs"],
        rows=[row for row in found.rows if (row.changes if found.scores else row.verdict != row.other_verdict)],
        verdicts=VERDICTS,
    )


def _figure(scores: Sequence[ScoreBeside]) -> ChartFigure:
    rows = [
        IntervalRow(one.name, one.this.to_first.value, *one.this.to_first.interval)
        for one in scores
        if one.this.to_first
    ]
    said = "; ".join(f"{one.name} {difference(one.this.to_first)}" for one in scores)
    chart = IntervalChart("Difference of each score", said, rows, "this run less the other, 95 %", sign=True)
    caption = (
        "Right of 0 this run is better. Intervals are paired: both runs on the same 1,000 resamples of the claims."
    )
    return ChartFigure(interval_chart(chart), caption, _table(scores))


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
