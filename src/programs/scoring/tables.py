"""Rendering of a report on trace files as lines of text: scores and shares in per cent, files by their number.

ProgramFC's Table 2 has the paper's figures, the classes chosen by annotators, if there are any, and our classes by
rule, marked as automatic.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from src.evaluation.bootstrap import Difference, Figure, Interval
from src.evaluation.tables import Section, as_text, number, table
from src.programs.annotation.classes import Pair, People
from src.programs.records import TwoLabel
from src.programs.scoring import published
from src.programs.scoring.error_classes import ALL, Conduct, ErrorClass, Errors
from src.programs.scoring.report import GroupScore, Report
from src.programs.scoring.two_labels import Baselines, Spread

SEMANTIC = (ErrorClass.TOKEN, ErrorClass.STRUCTURE, ErrorClass.SUBTASK)
NOBODY = "annotated by nobody yet (src.programs.annotate serves the page); automatic: by rule, over all wrong claims"
Shares = Mapping[ErrorClass, float]


def error_sections(errors: Mapping[str, Errors], people: People | None) -> list[Section]:
    """Return the table of error classes (Table 2) and, if people annotated, the table of their agreement."""
    columns = [column for group, of_group in errors.items() for column in _error_columns(group, of_group, people)]
    rows = [list(row) for row in zip(_heads(), *columns, strict=True)]
    notes = [NOBODY] if people is None or not people.groups else [_note(people)]
    title = "Table 2 of the paper: classes of wrongly predicted claims, % of them"
    return [Section(title, rows, notes), *([agreement_section(people.pairs)] if people and people.pairs else [])]


def agreement_section(pairs: Sequence[Pair]) -> Section:
    rows = [["annotators", "programs", "% the same", "Cohen's kappa"]]
    rows += [
        [", ".join(one.annotators), str(one.programs), f"{100 * one.same:.1f}", number(one.kappa)] for one in pairs
    ]
    return Section("Agreement on the classes", rows)


def _heads() -> list[str]:
    named = ["syntax", "semantic", *(f"- {kind}" for kind in SEMANTIC), "incorrect execution"]
    return ["", "claims", *named]


def _error_columns(group: str, errors: Errors, people: People | None) -> list[list[str]]:
    """Return the columns of a group in Table 2: the paper's figures, those of annotators, and those by rule."""
    columns = []
    if group in published.COLUMNS[:-1]:
        at = published.COLUMNS.index(group)
        paper = {ErrorClass(name): values[at] / 100 for name, values in published.ERRORS.items()}
        columns.append([f"{group}: paper", str(published.JUDGED), *_cells(paper)])
    judged = people.groups.get(group) if people is not None else None
    if judged is not None:
        columns.append([f"{group}: people", str(judged.programs), *_cells(judged.shares)])
    shares = {kind: count / max(1, errors.wrong) for kind, count in errors.classes.items()}
    return [*columns, [f"{group}: automatic", str(errors.wrong), *_cells(shares)]]


def _cells(shares: Shares) -> list[str]:
    semantic = sum(shares[kind] for kind in SEMANTIC)
    values = [shares[ErrorClass.SYNTAX], semantic, *(shares[kind] for kind in SEMANTIC), shares[ErrorClass.EXECUTION]]
    return [f"{100 * value:.0f}" for value in values]


def _note(people: People) -> str:
    judged = people.groups[ALL]
    counts = f"{judged.by_two} of {judged.programs} programs by two or more"
    return f"people: {', '.join(people.annotators)}; {counts}; automatic: by rule, over all wrong claims"


READING = "true counts as supports; false, unknown and conflicting as refutes (HOVER: not supported). Per cent."


def render(report: Report, *, with_paper: bool) -> list[str]:
    """Return the whole report as lines of text; `with_paper` adds the published tables."""
    lines = [f"{place}: {name}" for place, name in enumerate(report.traces, start=1)]
    lines += ["", READING, *table(_score_rows(report.scores))]
    lines += ["", *baseline_lines(report.scores)]
    if report.recall:
        lines += ["", "Recall of gold pages, all steps' hits together", *table(_recall_rows(report))]
    for place, conduct in enumerate(report.conduct, start=1):
        lines += ["", f"{place}: {_calls(conduct)}", *table(_confusion_rows(conduct))]
    lines += ["", *as_text(error_tables_of(report))]
    return [*lines, *(_paper(report) if with_paper else [])]


def _score_rows(scores: Sequence[GroupScore]) -> list[list[str]]:
    heads = ["group", "claims", "trace", "macro-F1", "95 % interval", "accuracy", "95 % interval"]
    rows = [[*heads, "unknown", "conflicting", "decided", "macro-F1 of these", "macro-F1 less 1's"]]
    for group in scores:
        for place, one in enumerate(group.traces, start=1):
            alone = "" if one.decided_macro_f1 is None else percent(one.decided_macro_f1)
            rows.append(
                [*(["", ""] if place > 1 else [group.group, str(group.claims)]), str(place), *_figure(one.macro_f1),
                 *_figure(one.accuracy), percent(one.unknown), percent(one.conflicting), str(one.decided), alone,
                 _difference(one.macro_f1.to_first)]
            )  # fmt: skip
    return rows


class HasBaselines(Protocol):
    """A group of claims with the scores of the trivial baselines."""

    @property
    def group(self) -> str: ...
    @property
    def claims(self) -> int: ...
    @property
    def baselines(self) -> Baselines: ...


def baseline_lines(scores: Sequence[HasBaselines]) -> list[str]:
    names = ["majority", "all supports", "all refutes", "coin", "> 1 passage: supports", "new words (20 shots)"]
    rows = [
        ["group", "claims", *names],
        *([one.group, str(one.claims), *_baseline_cells(one.baselines)] for one in scores),
    ]
    head = "Baselines: macro-F1 of systems that check nothing; the last two look at the gold evidence"
    unfitted = any(one.baselines.novelty is None for one in scores)
    return [f"{head} (-: --tune_ids names the claims to fit new words on)" if unfitted else head, *table(rows)]


def _baseline_cells(baselines: Baselines) -> list[str]:
    constant = [baselines.majority, *map(percent, (baselines.all_supports, baselines.all_refutes, baselines.coin))]
    spread = baselines.novelty
    novelty = "-" if spread is None else spread_of(spread)
    return [*constant, "-" if baselines.passages is None else percent(baselines.passages), novelty]


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
    """Return ProgramFC's Table 2, the classes of errors, for each trace file.

    A note replaces the table if the programs of a file only verify claims as a whole.
    """
    sections = []
    for place, conduct in enumerate(report.conduct, start=1):
        if conduct.errors is None:
            note = "every program verifies the claim as a whole: no classes of errors"
            sections.append(Section(f"{place}: {note}"))
        else:
            table, *others = error_sections(conduct.errors, report.people)
            sections += [table._replace(title=f"{place}: {table.title}"), *others]
    return sections


def _paper(report: Report) -> list[str]:
    ours = [[f"trace {at + 1}", *_columns(report, at)] for at in range(len(report.traces))]
    lines = ["", "Macro-F1 beside the paper's; published columns are over all of dev"]
    rows = [["", *published.COLUMNS]]
    for setting, systems in published.SETTINGS.items():
        rows += [[f"{setting}: {one.system}", *(f"{value:.2f}" for value in one.macro_f1)] for one in systems]
    return [*lines, *table(rows + ours)]


def _columns(report: Report, at: int) -> list[str]:
    """Return the cells of a trace file's row below the published table: macro-F1 and number of claims for each column.

    `at` is the index of the file. If claims have no hops, all of them belong to FEVEROUS-S.
    """
    cells = {one.group: f"{percent(one.traces[at].macro_f1.value)} (n={one.claims})" for one in report.scores}
    whole = "-" if any(name in published.COLUMNS for name in cells) else cells[ALL]
    return [*(cells.get(name, "-") for name in published.COLUMNS[:-1]), whole]


def _figure(figure: Figure) -> list[str]:
    return [percent(figure.value), _interval(figure.interval)]


def _difference(difference: Difference | None) -> str:
    return "" if difference is None else f"{100 * difference.value:+.2f} {_interval(difference.interval)}"


def _interval(interval: Interval) -> str:
    return f"[{percent(interval[0])}, {percent(interval[1])}]"


def spread_of(spread: Spread) -> str:
    return f"{percent(spread.mean)} ± {percent(spread.deviation)}"


def percent(value: float) -> str:
    return f"{100 * value:.2f}"
