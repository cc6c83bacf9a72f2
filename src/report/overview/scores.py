"""Scores of a run beside baselines and published systems: tables and charts."""

from collections.abc import Mapping

import msgspec

from src.evaluation.bootstrap import Interval
from src.evaluation.cells import interval, number
from src.evaluation.main_figures import FIGURES, main_figures
from src.evaluation.scoreboard import Scoreboard
from src.report.charts.figure import ChartFigure, DataTable
from src.report.charts.interval_chart import IntervalChart, IntervalRow, interval_chart
from src.report.run.published import PUBLISHED, Estimate

EVIDENCE = FIGURES[:2]
FLOORS = ("claim as question", "always Refuted")
HEAD = ("Score", "This run", "95 % interval", "Claim as question", "Always Refuted")
SAID = {
    "Q": "Q: questions against gold questions, METEOR",
    "Q+A": "Q+A: questions with answers against gold ones, METEOR",
    "@.25": "AVeriTeC score: verdict right and Q+A above .25",
    "accuracy": "Accuracy of verdicts",
    "macro-F1": "Macro-F1 of verdicts",
}


class ScoreRow(msgspec.Struct, frozen=True):
    """A score with its interval and the baselines' scores, None where the predictions lack what it needs."""

    name: str
    value: float
    interval: Interval
    asking: float | None = None
    refuted: float | None = None

    @property
    def cells(self) -> tuple[str, ...]:
        return (self.name, number(self.value), interval(self.interval), _or_dash(self.asking), _or_dash(self.refuted))

    @property
    def drawn(self) -> IntervalRow:
        return IntervalRow(self.name, self.value, *self.interval, (self.asking, self.refuted))


class PublishedRow(msgspec.Struct, frozen=True):
    """A row of published scores; `figures` are in the order of FIGURES, each with its interval as text."""

    name: str
    source: str
    figures: tuple[tuple[str, str], ...]


def main_rows(board: Scoreboard) -> list[ScoreRow]:
    """Return the main scores, by which systems are compared. The board must have baselines (`floors`) and intervals.

    Always Refuted keeps the run's evidence, so it is no baseline for scores of evidence alone.
    """
    assert board.floors is not None
    assert board.intervals is not None
    values, intervals = main_figures(board), main_figures(board.intervals)
    asking = main_figures(board.floors.claim_as_question) if board.floors.claim_as_question else {}
    refuted = main_figures(board.floors.always_refuted)
    return _rows(values, intervals, asking, {name: refuted[name] for name in refuted if name not in EVIDENCE})


def type_rows(board: Scoreboard) -> list[ScoreRow]:
    """Return Q+A above .25 by claim type, highest first.

    The verdict has no effect on it, so always Refuted is no baseline for it.
    """
    assert board.floors is not None
    assert board.intervals is not None
    asking = board.floors.claim_as_question
    rows = _rows(board.by_type, board.intervals.by_type, asking.by_type if asking else {}, {})
    return sorted(rows, key=lambda row: (-row.value, row.name))


def scores_figure(rows: list[ScoreRow]) -> ChartFigure:
    said = "; ".join(f"{row.name} {number(row.value)} {interval(row.interval)}" for row in rows)
    chart = IntervalChart(
        "Scores with 95 % intervals beside baselines", said, [row.drawn for row in rows], "this run, 95 %", FLOORS
    )
    return ChartFigure(interval_chart(chart), "Intervals are of the claims alone: 1,000 resamples.", _table(rows))


def types_figure(rows: list[ScoreRow]) -> ChartFigure:
    drawn = [IntervalRow(row.name, row.value, *row.interval, (row.asking,)) for row in rows]
    said = "; ".join(f"{row.name} {number(row.value)}" for row in rows)
    chart = IntervalChart("Score by claim type", said, drawn, "this run, 95 %", FLOORS[:1])
    caption = "Mean Q+A of the claims of a type, counted as 0 where it is not above .25; the verdict plays no part."
    head, cells = HEAD[:4], [row.cells[:4] for row in rows]
    return ChartFigure(interval_chart(chart), caption, DataTable("Score by claim type", head, cells))


def published_rows() -> list[PublishedRow]:
    return [PublishedRow(one.name, one.source, tuple(_estimate(found) for found in one[2:])) for one in PUBLISHED]


def own_row(rows: list[ScoreRow], name: str) -> PublishedRow:
    """Return this run as a row among the published ones."""
    return PublishedRow(name, "this run", tuple(_estimate(Estimate(row.value, *row.interval)) for row in rows))


def _estimate(found: Estimate) -> tuple[str, str]:
    return number(found.value), f"{found.low:.3f} to {found.high:.3f}"


def _rows(
    values: Mapping[str, float | None],
    intervals: Mapping[str, Interval | None],
    asking: Mapping[str, float | None],
    refuted: Mapping[str, float | None],
) -> list[ScoreRow]:
    found = []
    for name, value in values.items():
        between = intervals[name]
        if value is not None and between is not None:
            found.append(ScoreRow(name, value, between, asking.get(name), refuted.get(name)))
    return found


def _table(rows: list[ScoreRow]) -> DataTable:
    cells = [(SAID.get(row.name, row.name), *row.cells[1:]) for row in rows]
    return DataTable("Scores, intervals and baselines", HEAD, cells)


def _or_dash(value: float | None) -> str:
    return "–" if value is None else number(value)  # noqa: RUF001 - a dash in an empty cell
