"""Scores of programs as Markdown, from what `python -m bench.programs` left in `bench/results/programs_*.json`.

`docs/results/programs.md` and its neighbors show the most important of them.

python -m bench.program_tables [NAME ...]
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from bench.command import command
from bench.programs import RESULTS
from src.errors import InputError
from src.evaluation.figures import Difference, Figure
from src.programs.scoring.floors import Spread
from src.programs.scoring.over_seeds import Summary
from src.programs.scoring.report import GroupRecall, GroupScore, Report
from src.store import read_json

MINUS = "\N{MINUS SIGN}"


def of_report(report: Report) -> str:
    """Macro-F1 by group of claims, a column for each trace; what the last has more than the first; floors."""
    names = [Path(name).stem for name in report.traces]
    heads = ["claims", *names, f"{names[-1]} less {names[0]}", "one label", "> 1 passage", "new words"]
    rows = [_scores(one) for one in report.scores]
    calls = ["model calls a claim", *(f"{one.model_calls:.1f}" for one in report.conduct), *[""] * 4]
    recall = [_recall(one, report.retrieving, len(names)) for one in report.recall]
    return "\n".join(line(row) for row in [heads, ["---"] * len(heads), *rows, calls, *recall])


def _scores(one: GroupScore) -> list[str]:
    figures = [trace.macro_f1 for trace in one.traces]
    constant = max(one.floors.all_supports, one.floors.all_refutes)
    passages = "" if one.floors.passages is None else percent(one.floors.passages)
    novelty = "" if one.floors.novelty is None else _spread(one.floors.novelty)
    more = difference_cell(figures[-1].to_first)
    return [f"{one.claims}, {one.group}", *map(figure_cell, figures), more, percent(constant), passages, novelty]


def _recall(one: GroupRecall, places: list[int], traces: int) -> list[str]:
    cells = dict(zip(places, map(figure_cell, one.traces), strict=True))
    shown = [cells.get(at, "") for at in range(traces)]
    return [f"recall@{one.k}, {one.claims}, {one.group}", *shown, difference_cell(one.traces[-1].to_first), *[""] * 3]


def of_summary(one: Summary) -> str:
    """Mean and deviation over the seeds, by group."""
    cells = [_spread(group.macro_f1) for group in one.scores]
    heads = ["encoder", *(f"{group.claims}, {group.group}" for group in one.scores)]
    return "\n".join(line(row) for row in [heads, ["---"] * len(heads), [Path(one.encoder).name, *cells]])


def _spread(one: Spread) -> str:
    return f"{percent(one.mean)} ± {percent(one.deviation)}"


def figure_cell(one: Figure) -> str:
    low, high = one.interval
    return f"{percent(one.value)} ({percent(low)}\N{EN DASH}{percent(high)})"


def difference_cell(one: Difference | None) -> str:
    if one is None:
        return ""
    low, high = one.interval
    return f"{_signed(one.value)} ({_signed(low)} to {_signed(high)})"


def percent(value: float) -> str:
    return f"{100 * value:.1f}"


def _signed(value: float) -> str:
    return f"{100 * value:+.1f}".replace("-", MINUS)


def line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def measured() -> dict[str, Path]:
    """The files of scores by their names."""
    files = (one for one in RESULTS.glob("programs_*.json") if ".manifest" not in one.suffixes)
    return {one.stem.removeprefix("programs_"): one for one in sorted(files)}


def table_of(path: Path) -> str:
    """Raises InputError (file, field)."""
    if path.stem.startswith("programs_few_shot"):
        return of_summary(read_json(path, Summary))
    return of_report(read_json(path, Report))


@command
def main(argv: Sequence[str] | None = None) -> int:
    flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    flags.add_argument("names", nargs="*", help="such as hover (default: all)")
    wanted, there = flags.parse_args(argv).names, measured()
    for name in wanted:
        if name not in there:
            raise InputError(f"no scores are called {name}; there are: {', '.join(there)}")
    for name in wanted or there:
        print(f"\n{name}\n\n{table_of(there[name])}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
