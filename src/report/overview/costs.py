"""Time and tokens of a run's steps, from their manifests."""

from collections.abc import Sequence

import msgspec
from markupsafe import Markup

from src.report.charts.bar_chart import Bar, BarChart, bar_chart
from src.report.charts.figure import ChartFigure, DataTable
from src.report.run.steps import StepMade

COUNTS = {"prompts": "Prompts", "calls": "Calls", "prompt_tokens": "Tokens read", "new_tokens": "Tokens written"}


class Costs(msgspec.Struct, frozen=True):
    """Costs of a run; `tokens_drawn` is None where no language model was used."""

    figure: ChartFigure
    tokens_drawn: Markup | None
    seconds: str
    tokens: str


def costs(steps: Sequence[StepMade]) -> Costs | None:
    """Return the costs, None where there is no manifest."""
    if not steps:
        return None
    all_seconds, tokens = sum(one.seconds for one in steps), sum(one.tokens for one in steps)
    drawn = _drawn("Time by step", [Bar(one.name, one.seconds, duration(one.seconds)) for one in steps])
    asked = [Bar(one.name, one.tokens, f"{one.tokens:,}") for one in steps if one.tokens]
    caption = "Of each step its work over all starts, or its last start where work is not counted."
    return Costs(
        ChartFigure(drawn, caption, _table(steps)),
        _drawn("Tokens by step, read and written", asked) if asked else None,
        duration(all_seconds),
        f"{tokens:,}",
    )


def _drawn(title: str, bars: Sequence[Bar]) -> Markup:
    return bar_chart(BarChart(title, "; ".join(f"{one.name} {one.shown}" for one in bars), bars))


def duration(seconds: float) -> str:
    """Return a time as text: `0.4 s`, `48 s`, `3 min 41 s`, `2 h 05 min`."""
    if seconds < 59.5:
        return f"{seconds:.1f} s" if seconds < 9.95 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"


def _table(steps: Sequence[StepMade]) -> DataTable:
    there = [name for name in COUNTS if any(name in one.manifest.counts for one in steps)]
    head = ("Step", "Claims", "Seconds", "Seconds a claim", *(COUNTS[name] for name in there))
    return DataTable("Time, prompts and tokens by step", head, [_row(one, there) for one in steps])


def _row(one: StepMade, counts: Sequence[str]) -> tuple[str, ...]:
    claims = one.manifest.fingerprint.claims
    each = f"{one.seconds / claims:.3f}" if claims else "–"  # noqa: RUF001 - a dash in an empty cell
    told = one.manifest.counts
    counted = (f"{told[name]:,}" if name in told else "–" for name in counts)  # noqa: RUF001
    return (one.name, f"{claims:,}", f"{one.seconds:,.1f}", each, *counted)
