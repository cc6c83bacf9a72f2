"""Figures of result pages that take more than a line to look up in a results file: functions of the templates."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from src.programs.scoring.published import COLUMNS, SETTINGS

Scores = Mapping[str, Any]


def cell_scores(report: Scores, group: str) -> Mapping[str, Any]:
    """Return the scores of a group of claims by program: `whole` (the claim undivided), `rules`, `1`, `3`, `5`."""
    (scores,) = (one["traces"] for one in report["scores"] if one["group"] == group)
    return dict(zip(_programs(report), scores, strict=True))


def cell_recall(report: Scores, group: str, k: int) -> Mapping[str, Any]:
    """Return the share of the gold pages among the k best, by program as in `cell_scores`."""
    (shares,) = (one["traces"] for one in report["recall"] if (one["group"], one["k"]) == (group, k))
    names = _programs(report)
    return dict(zip((names[place] for place in report["retrieving"]), shares, strict=True))


def baselines(report: Scores, group: str) -> Mapping[str, Any]:
    """Return the macro-F1 of the trivial baselines on a group of claims; the better of the two constant labels."""
    (found,) = (one["floors"] for one in report["scores"] if one["group"] == group)
    return {"one_label": max(found["all_supports"], found["all_refutes"]), **found}


def paper_macro_f1(setting: str, system: str, claims: str) -> float:
    """Return what ProgramFC's paper prints, 0 to 1; `claims` is one of `2 hops`, `3 hops`, `4 hops`, `FEVEROUS-S`."""
    (row,) = (one for one in SETTINGS[setting] if one.system == system)
    return row.macro_f1[COLUMNS.index(claims)] / 100


FUNCTIONS = {one.__name__: one for one in (cell_scores, cell_recall, baselines, paper_macro_f1)}


def _programs(report: Scores) -> list[str]:
    """Return the program kind in each name `DATASET_cells_KIND_SETTING_ANSWERER.json`."""
    return [Path(name).stem.split("_")[2] for name in report["traces"]]
