"""The result as a Markdown table, and under it what is right of each verdict and of each label."""

from collections.abc import Iterator, Mapping

from bench.check.records import Counted, Result, Row
from src.records import Level, Verdict

HEAD = (
    "system", "accuracy", "macro-F1", "firm: precision (share)", "leaning", "undecided", "firm and wrong",
    "sets: coverage (size)", "reasons that hold (stated)", "Q+A", "AVeriTeC@.25", "s a claim",
)  # fmt: skip


def table(result: Result) -> str:
    """Return a line for each system, and lines of counts for those that have levels."""
    lines = [f"{result.claims}: {result.rows[0].claims} claims, peak {result.peak / 1e9:.1f} GB", ""]
    lines += [f"| {' | '.join(HEAD)} |", f"|{'---|' * len(HEAD)}"]
    lines += [f"| {' | '.join(_cells(row))} |" for row in result.rows]
    return "\n".join([*lines, "", *(line for row in result.rows for line in _counts(row))])


def _counts(row: Row) -> Iterator[str]:
    for level, own in row.of_verdict.items():
        yield f"{row.system}: right of the {level} verdicts: {_right_of(own)}"
    if row.of_verdict:
        yield f"{row.system}: found of the labels: {_right_of(row.of_label)}"
    if row.baseline and row.over_baseline:
        above, (low, high) = row.over_baseline
        yield (
            f"{row.system}: the claim as every question, always Refuted: Q+A {row.baseline[0]:.3f}, AVeriTeC@.25 "
            f"{row.baseline[1]:.3f}; Q+A is {above:+.3f} ({low:+.3f} to {high:+.3f}) above that"
        )


def _right_of(counts: Mapping[Verdict, Counted]) -> str:
    return ", ".join(f"{verdict} {one.right} of {one.of}" for verdict, one in counts.items() if one.of)


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
