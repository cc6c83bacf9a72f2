"""Scores of a run by a judge (Ev2R), as the report shows them beside METEOR.

They are in `SPLIT_ev2r.json` (`evaluate_ev2r --json`) or in `SPLIT_scores.json` (`evaluate_veracity --ev2r --json`).
"""

from pathlib import Path

import msgspec

from src.ev2r.scores import FIGURES, Ev2RScores, Means
from src.ev2r.table import TITLES, judge_name
from src.evaluation.tables import interval, number
from src.report.charts import DataTable
from src.report.run import Run, RunFolder
from src.runner.manifest import read_manifest
from src.store import read_json, sha256

FILES = ("ev2r.json", "scores.json")  # the first that has such scores of the run
HEAD = ("Score by a judge", "This run", "95 % interval", "Claim as question", "Always Refuted")
OF_EVIDENCE = FIGURES[:6]  # always Refuted has the evidence of the run, so it is no baseline for these


class JudgedView(msgspec.Struct, frozen=True):
    """Scores by a judge on the overview.

    `judge`: name of the judge.
    `table`: its scores; None if they are not shown.
    `note`: what was left out, or why no scores are shown.
    """

    judge: str
    table: DataTable | None
    note: str


class _ScoresFile(msgspec.Struct):
    ev2r: Ev2RScores | None = None


def judged_view(folder: RunFolder, run: Run) -> JudgedView | None:
    """Return the scores of a run by a judge; None if its folder has none. Raises InputError for a damaged file."""
    views = []
    for name in FILES:
        path = folder.file(name)
        found = None if path is None else _read(path, name)
        if path is not None and found is not None:
            views.append(_view(found, _why_not(path, folder, found, run)))
    return next((view for view in views if view.table), views[0] if views else None)


def _read(path: Path, name: str) -> Ev2RScores | None:
    return read_json(path, Ev2RScores) if name == FILES[0] else read_json(path, _ScoresFile).ev2r


def _why_not(path: Path, folder: RunFolder, found: Ev2RScores, run: Run) -> str:
    """Return why the scores are not those of the run; "" if they are."""
    manifest = read_manifest(path)
    judged = manifest.fingerprint.inputs.get("prediction_file") if manifest else None
    if judged is None or judged.sha256 != sha256(folder.predictions):
        return f"Not shown: {path.name} has the scores of other predictions."
    if [one.claim_id for one in found.claims] != [one.claim_id for one in run.predictions]:
        return f"Not shown: {path.name} has the scores of other claims of this run."
    return ""


def _view(found: Ev2RScores, why_not: str) -> JudgedView:
    judge = judge_name(found.judge)
    if why_not:
        return JudgedView(judge, None, why_not)
    left_out = found.unparseable + found.call_failed
    note = f"Scored by {judge}: {found.scored} of {found.n} claims"
    note += f"; the judge gave no usable answer for {left_out}, which are in no mean." if left_out else "."
    return JudgedView(judge, DataTable(f"Scores by the judge {judge}", HEAD, _rows(found)), note)


def _rows(found: Ev2RScores) -> list[tuple[str, ...]]:
    asking = found.baselines.claim_as_question if found.baselines else None
    refuted = found.baselines.always_refuted if found.baselines else None
    return [
        (
            TITLES[name][:1].upper() + TITLES[name][1:],
            number(value),
            _interval(found.intervals, name),
            _number(asking, name),
            _number(None if name in OF_EVIDENCE else refuted, name),
        )
        for name in FIGURES
        if (value := getattr(found, name)) is not None
    ]


def _number(means: Means[float] | None, name: str) -> str:
    value = getattr(means, name) if means else None
    return "–" if value is None else number(value)  # noqa: RUF001 - a dash in an empty cell


def _interval(intervals: Means[tuple[float, float]] | None, name: str) -> str:
    bounds = getattr(intervals, name) if intervals else None
    return interval(bounds) if bounds else ""
