"""The result as a Markdown table."""

from collections.abc import Mapping

from bench.check.records import Result, Row
from src.records import Level

HEAD = (
    "system", "accuracy", "macro-F1", "firm: precision (share)", "leaning", "undecided", "firm and wrong",
    "sets: coverage (size)", "reasons that hold (stated)", "Q+A", "AVeriTeC@.25", "s a claim",
)  # fmt: skip


def table(result: Result) -> str:
    """Return a line for each system."""
    lines = [f"{result.claims}: {result.rows[0].claims} claims, peak {result.peak / 1e9:.1f} GB", ""]
    lines += [f"| {' | '.join(HEAD)} |", f"|{'---|' * len(HEAD)}"]
    return "\n".join([*lines, *(f"| {' | '.join(_cells(row))} |" for row in result.rows)])


def _cells(row: Row) -> list[str]:
    low, high = row.accuracy_interval
    least, most = row.macro_f1_interval
    sets = "" if row.coverage is None else f"{row.coverage:.3f} ({row.set_size:.1f})"
    return [
        row.system,
        f"{row.accuracy:.3f} ({low:.3f}-{high:.3f})",
        f"{row.macro_f1:.3f} ({least:.3f}-{most:.3f})",
        *(_level(row.precision, row.share, level) for level in Level),
        "" if row.firm_and_wrong is None else str(row.firm_and_wrong),
        sets,
        "" if row.stated is None else f"{_number(row.reasons) or '-'} ({row.stated})",
        _number(row.question_answer),
        _number(row.averitec),
        "" if row.seconds is None else f"{row.seconds:.1f}",
    ]


def _level(precision: Mapping[Level, float], share: Mapping[Level, float], level: Level) -> str:
    if not share:
        return ""
    return f"{_number(precision.get(level)) or '-'} ({share[level]:.3f})"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
