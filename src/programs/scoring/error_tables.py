"""ProgramFC's Table 2 next to our figures: by annotators, if there are any, and by rule, marked as automatic."""

from collections.abc import Mapping, Sequence

from src.evaluation.tables import Section, number
from src.programs.scoring import published
from src.programs.scoring.conduct import Errors
from src.programs.scoring.error_classes import ErrorClass
from src.programs.scoring.groups import ALL
from src.programs.scoring.people import Pair, People

SEMANTIC = (ErrorClass.TOKEN, ErrorClass.STRUCTURE, ErrorClass.SUBTASK)
NOBODY = "annotated by nobody yet (src.programs.annotate serves the page); automatic: by rule, over all wrong claims"
Shares = Mapping[ErrorClass, float]


def error_sections(errors: Mapping[str, Errors], people: People | None) -> list[Section]:
    """Return the table and, if people annotated, their agreement."""
    columns = [column for group, found in errors.items() for column in _columns(group, found, people)]
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


def _columns(group: str, errors: Errors, people: People | None) -> list[list[str]]:
    """Return the columns of a group: the paper's figures, those of people, and those by rule."""
    found = []
    if group in published.COLUMNS[:-1]:
        at = published.COLUMNS.index(group)
        paper = {ErrorClass(name): values[at] / 100 for name, values in published.ERRORS.items()}
        found.append([f"{group}: paper", str(published.JUDGED), *_cells(paper)])
    judged = people.groups.get(group) if people is not None else None
    if judged is not None:
        found.append([f"{group}: people", str(judged.programs), *_cells(judged.shares)])
    shares = {kind: count / max(1, errors.wrong) for kind, count in errors.classes.items()}
    return [*found, [f"{group}: automatic", str(errors.wrong), *_cells(shares)]]


def _cells(shares: Shares) -> list[str]:
    semantic = sum(shares[kind] for kind in SEMANTIC)
    values = [shares[ErrorClass.SYNTAX], semantic, *(shares[kind] for kind in SEMANTIC), shares[ErrorClass.EXECUTION]]
    return [f"{100 * value:.0f}" for value in values]


def _note(people: People) -> str:
    judged = people.groups[ALL]
    counts = f"{judged.by_two} of {judged.programs} programs by two or more"
    return f"people: {', '.join(people.annotators)}; {counts}; automatic: by rule, over all wrong claims"
