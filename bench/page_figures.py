"""Figures of result pages that take more than a line to look up in a results file: functions of the templates."""

from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any

import msgspec

from bench.one_claim import Result, goals, stage_medians
from src.explanation.reasons import SURE
from src.programs.scoring.published import COLUMNS, SETTINGS
from src.store import read_json

ADAPTERS = Path(__file__).parent.parent / "pretrained_models/adapters"
Content = Mapping[str, Any]


def row_named(result: Content, beginning: str) -> Content | None:
    """Return the first row whose system's name begins with `beginning`; None if there is none."""
    return next((row for row in result["rows"] if row["system"].startswith(beginning)), None)


def right_of_level(row: Content, level: str) -> Content:
    """Return how many claims of a row of `bench.check` have a level (`of`), and how many of these are `right`."""
    counts = row["of_verdict"].get(level, {}).values()
    return {"right": sum(one["right"] for one in counts), "of": sum(one["of"] for one in counts)}


def same_claims(one: Content, other: Content) -> Content:
    """Return how often each of two results of `bench.check` is right on the claims that both have answered.

    `one` and `other` count right claims, `only_one` and `only_other` those that the other has wrong; `firm_one` and
    `firm_other` are counts of firm verdicts, as in `right_of_level`.
    """
    first, second = ({each["claim_id"]: each for each in result["answered"]["questions"]} for result in (one, other))
    shared = [(first[claim_id], second[claim_id]) for claim_id in first if claim_id in second]
    rights = [tuple(each["verdict"] == each["label"] for each in pair) for pair in shared]
    firm_one, firm_other = (
        [is_right[place] for pair, is_right in zip(shared, rights, strict=True) if pair[place]["level"] == "firm"]
        for place in (0, 1)
    )
    return {
        "claims": len(shared),
        "one": sum(left for left, _ in rights),
        "other": sum(right for _, right in rights),
        "only_one": rights.count((True, False)),
        "only_other": rights.count((False, True)),
        "firm_one": {"right": sum(firm_one), "of": len(firm_one)},
        "firm_other": {"right": sum(firm_other), "of": len(firm_other)},
    }


def stacker_levels(name: str) -> Content:
    """Return the limits of a stacker's levels, and their precision on held-out claims. Raises InputError."""
    stacker: Any = read_json(ADAPTERS / name / "stacker.json", Any)
    levels: Content = stacker["levels"]
    return levels


def one_claim_stages(result: Content, source: str) -> Mapping[str, Any]:
    """Return the median seconds of each stage of `bench.one_claim`, cold and warm; `source` is `store` or `pages`."""
    claims = msgspec.convert(result, Result).claims
    return stage_medians([one for one in claims if one.source == source])


def one_claim_goals(result: Content, *, reached: bool) -> list[str]:
    """Return the goals of `bench.one_claim` that its medians reach, or those that they miss."""
    return [name for name, is_reached in goals(msgspec.convert(result, Result)).items() if is_reached == reached]


def reason_limit() -> float:
    """Return the probability from which a quoted passage proves a verdict."""
    return SURE


def cell_scores(report: Content, group: str) -> Mapping[str, Any]:
    """Return the scores of a group of claims by program: `whole` (the claim undivided), `rules`, `1`, `3`, `5`."""
    (scores,) = (one["traces"] for one in report["scores"] if one["group"] == group)
    return dict(zip(_programs(report), scores, strict=True))


def cell_recall(report: Content, group: str, k: int) -> Mapping[str, Any]:
    """Return the share of the gold pages among the k best, by program as in `cell_scores`."""
    (shares,) = (one["traces"] for one in report["recall"] if (one["group"], one["k"]) == (group, k))
    names = _programs(report)
    return dict(zip((names[place] for place in report["retrieving"]), shares, strict=True))


def baselines(report: Content, group: str) -> Mapping[str, Any]:
    """Return the macro-F1 of the trivial baselines on a group of claims; the better of the two constant labels."""
    (figures,) = (one["floors"] for one in report["scores"] if one["group"] == group)
    return {"one_label": max(figures["all_supports"], figures["all_refutes"]), **figures}


def paper_macro_f1(setting: str, system: str, claims: str) -> float:
    """Return what ProgramFC's paper prints, 0 to 1; `claims` is one of `2 hops`, `3 hops`, `4 hops`, `FEVEROUS-S`."""
    (row,) = (one for one in SETTINGS[setting] if one.system == system)
    return row.macro_f1[COLUMNS.index(claims)] / 100


def _programs(report: Content) -> list[str]:
    """Return the program kind in each name `DATASET_cells_KIND_SETTING_ANSWERER.json`."""
    return [Path(name).stem.split("_")[2] for name in report["traces"]]


def a_claim(row: Content, place: str) -> float:
    """Return the milliseconds of a claim in a row of `bench.cluster`, without those of the start."""
    few, many = (float(median(row[place][runs])) for runs in ("few", "many"))
    return 1000 * (many - few) / int(row["many"] - row["few"])


def longer_start(row: Content) -> float:
    """Return the seconds that a short run takes longer on a cluster, in a row of `bench.cluster`."""
    return float(median(row["ray"]["few"]) - median(row["local"]["few"]))


FUNCTIONS = {
    one.__name__: one
    for one in (
        row_named, right_of_level, same_claims, stacker_levels, one_claim_stages, one_claim_goals,
        reason_limit, cell_scores, cell_recall, baselines, paper_macro_f1, a_claim, longer_start,
    )
}  # fmt: skip
