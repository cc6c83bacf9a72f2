"""Report as lines of text: scores and shares in per cent, traces by their number in the given order."""

from collections.abc import Sequence
from typing import Protocol

from src.evaluation.bootstrap import Difference, Figure, Interval
from src.evaluation.tables import Section, as_text, table
from src.programs.records import TwoLabel
from src.programs.scoring import published
from src.programs.scoring.conduct import Conduct
from src.programs.scoring.error_tables import error_sections
from src.programs.scoring.floors import Floors, Spread
from src.programs.scoring.groups import ALL
from src.programs.scoring.report import GroupScore, Report

READING = "true counts as supports; false, unknown and conflicting as refutes (HOVER: not supported). Per cent."


def render(report: Report, *, with_paper: bool) -> list[str]:
    """Return the whole report; `with_paper` adds the published tables."""
    lines = [f"{number}: {name}" for number, name in enumerate(report.traces, start=1)]
    lines += ["", READING, *table(_score_rows(report.scores))]
    lines += ["", *floor_lines(report.scores)]
    if report.recall:
        lines += ["", "Recall of gold pages, all steps' hits together", *table(_recall_rows(report))]
    for number, conduct in enumerate(report.conduct, start=1):
        lines += ["", f"{number}: {_calls(conduct)}", *table(_confusion_rows(conduct))]
    lines += ["", *as_text(error_tables_of(report))]
    return [*lines, *(_paper(report) if with_paper else [])]


def _score_rows(scores: Sequence[GroupScore]) -> list[list[str]]:
    heads = ["group", "claims", "trace", "macro-F1", "95 % interval", "accuracy", "95 % interval"]
    rows = [[*heads, "unknown", "conflicting", "decided", "macro-F1 of these", "macro-F1 less 1's"]]
    for group in scores:
        for number, one in enumerate(group.traces, start=1):
            alone = "" if one.decided_macro_f1 is None else percent(one.decided_macro_f1)
            rows.append(
                [*(["", ""] if number > 1 else [group.group, str(group.claims)]), str(number), *_figure(one.macro_f1),
                 *_figure(one.accuracy), percent(one.unknown), percent(one.conflicting), str(one.decided), alone,
                 _difference(one.macro_f1.to_first)]
            )  # fmt: skip
    return rows


class HasFloors(Protocol):
    """A group of claims with its baselines."""

    @property
    def group(self) -> str: ...
    @property
    def claims(self) -> int: ...
    @property
    def floors(self) -> Floors: ...


def floor_lines(scores: Sequence[HasFloors]) -> list[str]:
    names = ["majority", "all supports", "all refutes", "coin", "> 1 passage: supports", "new words (20 shots)"]
    rows = [["group", "claims", *names], *([one.group, str(one.claims), *_floors(one.floors)] for one in scores)]
    head = "Baselines: macro-F1 of systems that check nothing; the last two look at the gold evidence"
    unfitted = any(one.floors.novelty is None for one in scores)
    return [f"{head} (-: --tune_ids names the claims to fit new words on)" if unfitted else head, *table(rows)]


def _floors(floors: Floors) -> list[str]:
    constant = [floors.majority, *map(percent, (floors.all_supports, floors.all_refutes, floors.coin))]
    spread = floors.novelty
    novelty = "-" if spread is None else spread_of(spread)
    return [*constant, "-" if floors.passages is None else percent(floors.passages), novelty]


def _recall_rows(report: Report) -> list[list[str]]:
    rows = [["group", "claims", "k", "trace", "recall", "95 % interval", f"less {report.retrieving[0] + 1}'s"]]
    for group in report.recall:
        for at, figure in zip(report.retrieving, group.traces, strict=True):
            named = [group.group, str(group.claims), str(group.k), str(at + 1)]
            rows.append([*named, *_figure(figure), _difference(figure.to_first)])
    return rows


def _calls(conduct: Conduct) -> str:
    unknown = f"{conduct.programs} programs, {percent(conduct.unknown_programs)} % of them unknown"
    return f"{unknown}, {conduct.model_calls:.2f} model calls a claim"


def _confusion_rows(conduct: Conduct) -> list[list[str]]:
    rows = [["value", *(f"gold {label}" for label in TwoLabel)]]
    return rows + [[value, *(str(gold[label]) for label in TwoLabel)] for value, gold in conduct.confusion.items()]


def error_tables_of(report: Report) -> list[Section]:
    """Return Table 2 of each trace; a note replaces it if the programs only verify claims as a whole."""
    found = []
    for number, conduct in enumerate(report.conduct, start=1):
        if conduct.errors is None:
            note = "every program verifies the claim as a whole: no classes of errors"
            found.append(Section(f"{number}: {note}"))
        else:
            table, *others = error_sections(conduct.errors, report.people)
            found += [table._replace(title=f"{number}: {table.title}"), *others]
    return found


def _paper(report: Report) -> list[str]:
    ours = [[f"trace {number}", *_columns(report, at)] for at, number in enumerate(range(1, len(report.traces) + 1))]
    lines = ["", "Macro-F1 beside the paper's; published columns are over all of dev"]
    rows = [["", *published.COLUMNS]]
    for setting, systems in published.SETTINGS.items():
        rows += [[f"{setting}: {one.system}", *(f"{value:.2f}" for value in one.macro_f1)] for one in systems]
    return [*lines, *table(rows + ours)]


def _columns(report: Report, at: int) -> list[str]:
    """Return a trace's macro-F1 for the paper's columns; claims without hops are those of FEVEROUS-S."""
    found = {one.group: f"{percent(one.traces[at].macro_f1.value)} (n={one.claims})" for one in report.scores}
    whole = "-" if any(name in published.COLUMNS for name in found) else found[ALL]
    return [*(found.get(name, "-") for name in published.COLUMNS[:-1]), whole]


def _figure(figure: Figure) -> list[str]:
    return [percent(figure.value), _interval(figure.interval)]


def _difference(found: Difference | None) -> str:
    return "" if found is None else f"{100 * found.value:+.2f} {_interval(found.interval)}"


def _interval(interval: Interval) -> str:
    return f"[{percent(interval[0])}, {percent(interval[1])}]"


def spread_of(found: Spread) -> str:
    return f"{percent(found.mean)} ± {percent(found.deviation)}"


def percent(value: float) -> str:
    return f"{100 * value:.2f}"
