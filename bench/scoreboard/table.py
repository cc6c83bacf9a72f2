"""The scoreboard as Markdown: what is compared, then F1 by verdict and gold answers covered.

Scores have 95 % intervals by claim. Every group of rows has its baseline: the template question with always Refuted,
which is also the most frequent verdict. There are several baselines where rows of a group have different answers.
"""

from collections.abc import Sequence
from typing import TypeVar

from bench.scoreboard.published import ALL, GOLD, HERO, OFFICIAL, OTHERS, OWN
from bench.scoreboard.record import Figure, Result, Row
from src.evaluation.aggregate import FIGURES, Scores, main_figures
from src.evaluation.bootstrap import Interval
from src.records import VERDICTS

V = TypeVar("V")
Groups = Sequence[tuple[str, list[Row]]]
Cells = tuple[str, ...]

TITLES = {
    HERO: "HerO's ten sentences",
    OFFICIAL: "the official baseline's three answers",
    GOLD: "gold questions and answers",
    OWN: "our retrieval, the claim's own file",
    ALL: "our retrieval, all files together",
    OTHERS: "evidence of their own",
}
REWARDED = (
    "METEOR counts words, nine parts recall to one part precision: a question that repeats the claim holds many words "
    "of the gold ones, so that the template `Is it true that CLAIM?` has more Q+A than HerO's questions on the same "
    "sentences. Gold answers covered leave the claim's words out, so that copying the claim covers none."
)


def show(result: Result) -> str:
    """Both tables for each range of claims that was measured, largest first."""
    ranges = sorted({row.claims for row in result.rows}, key=lambda one: (one[0] - one[1], one))
    blocks = []
    for first, end in ranges:
        rows = [row for row in result.rows if row.claims == (first, end)]
        groups = [(title, of) for key, title in TITLES.items() if (of := [row for row in rows if row.evidence == key])]
        blocks += [f"Dev claims {first} to {end - 1} ({rows[0].scores.n}):", _scores(groups), _verdicts(groups)]
        blocks += [above(groups)] if any(row.over for row in rows) else []
    return "\n\n".join([*blocks, REWARDED])


def _scores(groups: Groups) -> str:
    lines = ["| evidence | system | Q | Q+A | @.25 | accuracy | macro-F1 |", "|---|---|---|---|---|---|---|"]
    for title, rows in groups:
        systems = [row for row in rows if row.kind != "ablation"]
        baselines = _baselines(systems)
        named = [(baseline_name(""), cells) for cells in baselines if len(baselines) == 1]
        for row in systems:
            named.append((row.system, with_intervals(row)))
            named += [
                (baseline_name(row.system), cells)
                for cells in baselines
                if len(baselines) > 1 and baselines[cells] is row
            ]
        lines += _lines(title, named)
    return "\n".join(lines)


def _lines(title: str, named: Sequence[tuple[str, Sequence[str]]]) -> list[str]:
    """Return a line for each name; the first has the group's title."""
    titles = [title, *[""] * len(named)]
    return [f"| {titles[place]} | {name} | {' | '.join(cells)} |" for place, (name, cells) in enumerate(named)]


def baseline_name(system: str) -> str:
    """Return the name of the baseline's row: of the only one in a group, or of the one on a system's evidence."""
    return f"baseline on the same answers as {system}" if system else "baseline: template question, always Refuted"


def _baselines(rows: Sequence[Row]) -> dict[Cells, Row]:
    """Return each baseline with the first row that has it; systems with the same answers have the same baseline."""
    baselines: dict[Cells, Row] = {}
    for row in rows:
        if row.scores.baselines is not None:
            baselines.setdefault(baseline_cells(row), row)
    return baselines


def baseline_cells(row: Row) -> Cells:
    """Return the five scores of the template question with always Refuted, on the row's answers; empty if it
    has none.
    """
    baselines = row.scores.baselines
    values = _values(baselines.claim_as_question or baselines.always_refuted) if baselines else []
    return _judged(row, [digits(value) for value in values])


def with_intervals(row: Row) -> Cells:
    """Return the row's five scores with their intervals."""
    values, intervals = _values(row.scores), row.scores.intervals
    spans = _values(intervals) if intervals is not None else [None] * len(values)
    return _judged(row, [digits(value) + _span(span) for value, span in zip(values, spans, strict=True)])


def _judged(row: Row, cells: Sequence[str]) -> Cells:
    """Return the cells of a row; on gold answers Q, Q+A and @.25 are empty, because the evidence is not scored."""
    return tuple("" if row.evidence == GOLD and place < 3 else cell for place, cell in enumerate(cells))


def _values(scores: Scores[V]) -> list[V | None]:
    return list(main_figures(scores).values())


def _verdicts(groups: Groups) -> str:
    """F1 of each verdict, and coverage."""
    short = ["Supported", "Refuted", "Not Enough Evidence", "Conflicting"]
    lines = [f"| evidence | system | {' | '.join(f'F1 {name}' for name in short)} | covered together | by one |",
             "|---|---|---|---|---|---|---|---|"]  # fmt: skip
    for title, rows in groups:
        named = []
        for row in rows:
            f1 = [digits(row.scores.veracity[verdict.value]) for verdict in VERDICTS]
            covered = [_share(row.covered.together), _share(row.covered.single)] if row.covered else ["", ""]
            named.append((row.system, [*f1, *covered] if row.kind != "ablation" else [*f1, "", ""]))
        lines += _lines(title, named)
    return "\n".join(lines)


def above(groups: Groups) -> str:
    """Ours over published ones, and verdicts on other questions over those on ours, claim by claim."""
    lines = ["| evidence | system | over | Q | Q+A | @.25 | accuracy | macro-F1 |", "|---|---|---|---|---|---|---|---|"]
    for title, rows in groups:
        named = []
        for row in rows:
            for other, figures in row.over.items():
                cells = [_signed(figures[name]) if name in figures else "" for name in FIGURES]
                named.append(
                    (f"{row.system} | {'its own questions' if row.kind == 'ablation' else other}", _judged(row, cells))
                )
        lines += _lines(title, named)
    return "\n".join(lines)


def _signed(figure: Figure) -> str:
    return f"{_sign(figure.value)} ({_sign(figure.low)} to {_sign(figure.high)})"


def _sign(value: float) -> str:
    """`+.037`, `.000`, and a minus sign as long as the plus."""
    text = f"{value:+.3f}".replace("0.", ".", 1).replace("-", "\N{MINUS SIGN}")
    return text if value and text[1:] != ".000" else ".000"


def _share(share: Figure) -> str:
    return digits(share.value) + _span((share.low, share.high))


def _span(interval: Interval | None) -> str:
    return "" if interval is None else f" ({digits(interval[0])}\N{EN DASH}{digits(interval[1])})"


def digits(value: float | None) -> str:
    """Return the score as text, such as `.491`; "" for None."""
    return "" if value is None else f"{value:.3f}".removeprefix("0")
