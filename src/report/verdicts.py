"""Verdicts compared with labels: confusion matrix, calibration, and the score at every threshold."""

from collections.abc import Sequence
from statistics import fmean

import msgspec

from src.evaluation.aggregate import THRESHOLDS, ConfusionRow, ThresholdCurve, threshold_curve
from src.evaluation.averitec import ClaimScore
from src.evaluation.calibration import (
    COVERAGES,
    Calibration,
    Forecast,
    calibration,
    level_precision,
    risk_curve,
    wilson,
)
from src.evaluation.tables import interval, number, share
from src.records import VERDICTS, Level
from src.report.charts import ChartFigure, DataTable, LineChart, ReliabilityDiagram, Series, short
from src.report.run import Run
from src.report.scores import Scored

SHADES = 8  # classes of the style sheet, shade-0 to shade-8


class ConfusionCell(msgspec.Struct, frozen=True):
    """A cell of the confusion matrix, for a label (row) and a predicted verdict (column).

    `count`: number of claims.
    `share`: share of these claims among all claims with the label.
    `is_right`: True if label and verdict are the same.
    """

    count: int
    share: float
    is_right: bool

    @property
    def shade(self) -> int:
        return round(self.share * SHADES)


class ConfusionLine(msgspec.Struct, frozen=True):
    """A row of the confusion matrix: a label, the number of claims that have it, and a cell for each verdict."""

    label: str
    claims: int
    cells: tuple[ConfusionCell, ...]


def confusion_lines(rows: Sequence[ConfusionRow]) -> list[ConfusionLine]:
    """Return the rows of the confusion matrix on the page, without labels that no claim has."""
    return [
        ConfusionLine(
            str(row.label),
            row.claims,
            tuple(
                ConfusionCell(count, part, verdict is row.label)
                for verdict, count, part in zip(VERDICTS, row.counts, row.shares, strict=True)
            ),
        )
        for row in rows
        if row.claims
    ]


def forecasts(run: Run) -> list[Forecast]:
    """Return the predictions that have probabilities and whose claim has a label, as records for the calibration."""
    labels = {claim_id: claim.label for claim_id, claim in run.claims.items()}
    return [
        Forecast(one.pred_label, one.probabilities, label)
        for one in run.predictions
        if one.probabilities and (label := labels.get(one.claim_id)) is not None
    ]


def calibration_figure(run: Run) -> ChartFigure | None:
    """Return the reliability diagram of a run; None if no prediction has probabilities."""
    given = forecasts(run)
    result = calibration(given)
    if result is None:
        return None
    caption = (
        f"ECE {number(result.ece)}, Brier score {number(result.brier)} (0 to 2), over {result.claims} claims in ten "
        "bins of equal width (Guo et al. 2017). Lines are 95 % intervals (Wilson)."
    )
    caption += _surer_than_right(given) or _below_the_line(result)
    diagram = ReliabilityDiagram("Share right against the probability of the verdict", caption, result)
    return ChartFigure(diagram.drawing, caption, _bins(result))


def _surer_than_right(given: Sequence[Forecast]) -> str:
    """Return a warning if the mean probability is above the 95 % interval of the share of right verdicts, else ""."""
    mean, right = fmean(one.confidence for one in given), sum(one.is_right for one in given)
    if mean <= wilson(right, len(given))[1]:
        return ""
    return (
        f" On these claims the model is overconfident: its mean probability is {number(mean)}, "
        f"its share right {number(right / len(given))}."
    )


def _below_the_line(result: Calibration) -> str:
    """Return a warning if there are at least two bins and all are below the diagonal, else ""."""
    if len(result.bins) < 2 or any(one.right >= one.confidence for one in result.bins):
        return ""
    return (
        " The line is below the ideal in every bin: fewer verdicts are right than the probabilities say, "
        "though over all claims the difference may be chance."
    )


def _bins(result: Calibration) -> DataTable:
    rows = [
        (f"{short(one.low)} to {short(one.high)}", str(one.claims), number(one.confidence), number(one.right),
         interval(one.interval))
        for one in result.bins
    ]  # fmt: skip
    head = ("Probability", "Claims", "Mean probability", "Share right", "95 % interval")
    return DataTable("Calibration by bin", head, rows)


def risk_figure(run: Run) -> ChartFigure | None:
    """Return the risk-coverage curve of a run; None if no prediction has probabilities."""
    curve = risk_curve(forecasts(run))
    if curve is None:
        return None
    at = {coverage: number(curve.values[COVERAGES.index(coverage)]) for coverage in (0.25, 0.5, 1.0)}
    risks = "; ".join(f"of the surest {coverage:.0%} {risk} are wrong" for coverage, risk in at.items())
    caption = f"Claims answered by falling probability of their verdict, {curve.claims} in all: {risks}."
    chart = LineChart(
        title="Risk against coverage", description=caption, x_name="Share of claims answered, the surest first",
        y_name="Share of them wrong", xs=COVERAGES,
        series=[Series("this run", curve.values, (curve.low, curve.high))],
    )  # fmt: skip
    rows = [
        (f"{coverage:.2f}", number(curve.values[place]), interval((curve.low[place], curve.high[place])))
        for place, coverage in enumerate(COVERAGES)
    ]
    data = DataTable("Risk by coverage", ("Coverage", "Risk", "95 % interval"), rows)
    return ChartFigure(chart.drawing, f"{caption} The band is the 95 % interval (Wilson).", data)


def level_table(run: Run) -> DataTable | None:
    """Return a table of how often verdicts of each level are right; None if the predictions have no levels."""
    right: dict[Level, list[bool]] = {}
    for one in run.predictions:
        claim = run.claims.get(one.claim_id)
        if one.level is not None and claim is not None and claim.label is not None:
            right.setdefault(one.level, []).append(one.pred_label is claim.label)
    levels = level_precision(right)
    if not levels:
        return None
    rows = [(str(one.level), str(one.claims), number(one.right / one.claims), interval(one.interval)) for one in levels]
    return DataTable("Precision by level", ("Level", "Claims", "Share right", "95 % interval"), rows)


def threshold_figure(scored: Scored) -> ChartFigure:
    """Return the chart of the AVeriTeC score at every threshold: the run with its interval, the baselines as lines."""
    of_run = {"this run": list(scored.claims.values())}
    asking = {"claim as question": scored.asking} if scored.asking is not None else {}
    claims: dict[str, Sequence[ClaimScore]] = of_run | asking | {"always Refuted": scored.refuted}
    curves = {name: threshold_curve(scores) for name, scores in claims.items()}
    own = curves["this run"]
    series = [Series(name, one.values, (one.low, one.high) if one is own else ()) for name, one in curves.items()]
    chart = LineChart(
        title="AVeriTeC score against the METEOR threshold",
        description="; ".join(f"{name} at .25: {number(one.values[5])}" for name, one in curves.items()),
        x_name="Q+A must lie above", y_name="Share of claims, verdict right", xs=THRESHOLDS, series=series,
        mark=(0.25, "published: .25"),
    )  # fmt: skip
    return ChartFigure(chart.drawing, "The band is the run's 95 % interval.", _curve_table(curves))


def _curve_table(curves: dict[str, ThresholdCurve]) -> DataTable:
    own = curves["this run"]
    rows = [
        (f"{level:.2f}", number(own.values[place]), interval((own.low[place], own.high[place])),
         *(number(one.values[place]) for one in curves.values() if one is not own))
        for place, level in enumerate(THRESHOLDS)
    ]  # fmt: skip
    others = [name for name, one in curves.items() if one is not own]
    return DataTable("AVeriTeC score by threshold", ("Threshold", "This run", "95 % interval", *others), rows)


def verdict_counts(run: Run) -> list[tuple[str, int, str]]:
    """Return, for each verdict, the number of claims that got it and their share in percent."""
    verdicts = [one.pred_label for one in run.predictions]
    return [(str(one), verdicts.count(one), share(verdicts.count(one) / len(verdicts))) for one in VERDICTS]
