"""Step: print tables of all trainings in Markdown: per task one row for each recipe, mean and spread over its seeds.

Runs that differ in anything but the seed have separate rows. If several recipes have the same name, the rows show the
settings in which they differ. Baselines are above the rows that they belong to.
"""

from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from typing import Annotated

import msgspec

from src.errors import InputError
from src.runner.console import say
from src.runner.paths import existing_file
from src.runner.step import step
from src.settings import Flag
from src.training.results import RESULTS, Result, alike, read_results

DETAILS = (" F1 ", "ECE", "before temperature", "decided")  # parts of the names of scores of verdicts and calibration


class ResultsSettings(msgspec.Struct, frozen=True):
    """Settings of the step: the results file, and which rows and columns are shown."""

    results: Annotated[Path, Flag("the file that the training steps write")] = RESULTS
    task: Annotated[str | None, Flag("this task only")] = None
    scores: Annotated[
        tuple[str, ...], Flag("these columns only, by their names", metavar="SCORE", one_of="columns")
    ] = ()
    details: Annotated[bool, Flag("also the scores of single verdicts, of calibration", one_of="columns")] = False


@step(ResultsSettings)
def main(settings: ResultsSettings) -> int:
    results = read_results(existing_file(settings.results, "the steps src.training.train_*"))
    tasks = sorted({result.task for result in results})
    if settings.task is not None and settings.task not in tasks:
        raise InputError(
            f"no run of the task {settings.task}, there are {', '.join(tasks) or 'none'}", path=settings.results
        )
    tasks = [settings.task] if settings.task else tasks
    known = {name for result in results for name in result.scores}
    if unknown := [name for name in settings.scores if name not in known]:
        raise InputError(
            f"no run has the score {unknown[0]}, there are {', '.join(sorted(known))}", path=settings.results
        )
    tables = []
    for task in tasks:
        runs = [result for result in results if result.task == task]
        tables.append(table(task, runs, settings.scores or columns(runs, details=settings.details)))
    say("\n\n".join(tables))
    return 0


def columns(results: Sequence[Result], *, details: bool) -> list[str]:
    """Return the names of all scores of the runs, for the table's columns; `details` includes those of DETAILS."""
    names = dict.fromkeys(name for result in results for name in result.scores)
    return [name for name in names if details or not any(part in name for part in DETAILS)]


def table(task: str, results: Sequence[Result], names: Sequence[str]) -> str:
    """Return a task's results as a Markdown table with the scores `names`. A dash means that a run lacks a score."""
    groups = alike(results)
    head = ["recipe", "base", "share", "seeds", "best step", "minutes", *names]
    rows, shown = list[list[str]](), list[list[str]]()
    for group in groups:
        baselines = [[f"baseline: {name}", *["-"] * 5, *values] for name, values in _baselines(group, names)]
        rows += [*(baselines if baselines != shown else []), _row(_last_of_seeds(group), _apart(group, groups), names)]
        shown = baselines
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join([f"### {task}", "", *("| " + " | ".join(line) + " |" for line in lines)])


def _row(group: Sequence[Result], apart: str, names: Sequence[str]) -> list[str]:
    first = group[0]
    steps = " ".join(str(result.best_step) for result in group)
    seeds = " ".join(str(result.seed) for result in group)
    minutes = f"{mean(result.seconds for result in group) / 60:.1f}"
    values = [_spread([result.scores[name] for result in group if name in result.scores]) for name in names]
    return [f"{first.recipe}{apart}", first.base, f"{first.share:g}", seeds, steps, minutes, *values]


def _apart(group: Sequence[Result], groups: Sequence[Sequence[Result]]) -> str:
    """Return a group's settings that distinguish it from other groups with its recipe name, base and share.

    An example is `: copies 3, epochs 1.5`.
    """
    first = group[0]
    namesakes = [_settings(other[0]) for other in groups if _name(other[0]) == _name(first)]
    own = _settings(first)
    differing = [
        f"{name} {value}" for name, value in own.items() if any(other.get(name) != value for other in namesakes)
    ]
    return f": {', '.join(differing)}" if differing else ""


def _name(result: Result) -> tuple[str, str, float]:
    return result.recipe, result.base, result.share


def _settings(result: Result) -> dict[str, object]:
    own = {name: value for name, value in result.settings.items() if name not in ("seed", "options")}
    return {**own, **result.settings.get("options", {})}


def _last_of_seeds(group: Sequence[Result]) -> list[Result]:
    """Return the last result of each seed in a group."""
    return list({result.seed: result for result in group}.values())


def _spread(values: Sequence[float]) -> str:
    """Format a table cell: a single value such as `0.512`, or mean, smallest and largest of several values."""
    if not values:
        return "-"
    if len(values) == 1:
        return f"{values[0]:.3f}"
    return f"{mean(values):.3f} ({min(values):.3f} to {max(values):.3f})"


def _baselines(results: Sequence[Result], names: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Return the name of each baseline in the results with its table cells, one for each score of `names`.

    The keys of `Result.baselines` are `BASELINE: SCORE`.
    """
    by_baseline: dict[str, dict[str, set[float]]] = {}
    for result in results:
        for name, value in result.baselines.items():
            baseline, _, score = name.partition(": ")
            by_baseline.setdefault(baseline, {}).setdefault(score, set()).add(value)
    return [(name, [_spread(sorted(held.get(score, ()))) for score in names]) for name, held in by_baseline.items()]


if __name__ == "__main__":
    raise SystemExit(main())
