"""HTML of a run's page."""

from collections.abc import Sequence

import msgspec

from src.evaluation.confusion import confusion
from src.evaluation.main_figures import FIGURES
from src.records import VERDICTS
from src.report.charts.figure import ChartFigure, DataTable
from src.report.claim.page import Link
from src.report.look import page
from src.report.overview.costs import Costs, costs
from src.report.overview.facts import Fact, facts
from src.report.overview.scores import (
    PublishedRow,
    main_rows,
    own_row,
    published_rows,
    scores_figure,
    type_rows,
    types_figure,
)
from src.report.overview.trouble import FailedStep, Note, failed_steps, notes
from src.report.overview.verdicts import (
    ConfusionLine,
    calibration_figure,
    confusion_lines,
    level_table,
    risk_figure,
    threshold_figure,
    verdict_counts,
)
from src.report.run.published import why_not_comparable
from src.report.run.run import Run
from src.report.run.scored import Scored


class Measured(msgspec.Struct, frozen=True):
    """Parts of the page that need labels. `by_type` is None where no claim has a type; `published` may be empty.

    `why_not` is then the reason.
    """

    scores: ChartFigure
    confusion: Sequence[ConfusionLine]
    thresholds: ChartFigure
    calibration: ChartFigure | None
    risk: ChartFigure | None
    levels: DataTable | None
    by_type: ChartFigure | None
    published: Sequence[PublishedRow]
    why_not: str


class Overview(msgspec.Struct, frozen=True):
    name: str
    facts: Sequence[Fact]
    measured: Measured | None
    verdicts: Sequence[tuple[str, int, str]]
    costs: Costs | None
    failures: Sequence[FailedStep]
    notes: Sequence[Note]


def overview(run: Run, split: str, labels: str, found: Scored | None) -> Overview:
    """Return the page's contents; `found` is None where some claim has no label; `labels` says so, or where they are
    from.
    """
    return Overview(
        name=run.name,
        facts=facts(run, split, labels),
        measured=_measured(run, split, found) if found else None,
        verdicts=verdict_counts(run),
        costs=costs(run.steps),
        failures=failed_steps(run),
        notes=notes(run),
    )


def overview_page(view: Overview, links: Sequence[Link]) -> str:
    return page("run.html", view=view, links=links, verdicts=VERDICTS, figures=FIGURES)


def _measured(run: Run, split: str, found: Scored) -> Measured:
    rows, types = main_rows(found.board), type_rows(found.board)
    why_not = why_not_comparable(run, split)
    return Measured(
        scores=scores_figure(rows),
        confusion=confusion_lines(confusion(found.claims.values())),
        thresholds=threshold_figure(found),
        calibration=calibration_figure(run),
        risk=risk_figure(run),
        levels=level_table(run),
        by_type=types_figure(types) if types else None,
        published=[] if why_not else [own_row(rows, run.name), *published_rows()],
        why_not=why_not,
    )
