"""Report as lines of text; methods are numbered in the given order."""

from collections.abc import Sequence

from src.evaluation.bootstrap import Difference, Figure
from src.evaluation.tables import as_text, difference, interval, number, share, table, verdict
from src.explanation.scoring import judge_tables, paper_tables, people_tables
from src.explanation.scoring.records import Findings, Gold, Method, Rates, Report
from src.explanation.typology import MADR_TYPES
from src.runner.console import how_many


def render(report: Report, *, with_paper: bool) -> list[str]:
    """Return all lines of the report; `with_paper` adds the published tables."""
    lines = [_head(at, one) for at, one in enumerate(report.methods, start=1)]
    lines += ["", f"Findings of the checks: {how_many(len(report.claims), 'claim')}, the same for all methods"]
    lines += [*table(_finding_rows(report.findings)), "", "Findings by type", *table(_type_rows(report.findings))]
    if any(one.before is not None for one in report.findings):
        lines += ["", "Findings before and after refinement", *table(_refined_rows(report.findings))]
    lines += ["", "Cost of an explanation, draft included if known (-: not known)", *table(_cost_rows(report.methods))]
    if report.gold is not None:
        lines += ["", *_gold(report.gold)]
    if report.geval is not None:
        lines += ["", *judge_tables.geval_lines(report.geval)]
    if report.human is not None:
        lines += ["", *judge_tables.human_lines(report.human)]
    if report.people is not None:
        lines += ["", *as_text(people_tables.sections(report.people))]
    return [*lines, *(paper_tables.paper_lines(report) if with_paper else [])]


def _head(at: int, one: Method) -> str:
    empty = f", {one.empty} of them without an explanation" if one.empty else ""
    return f"{at}: {one.name} ({one.file}, {how_many(one.claims, 'claim')}{empty})"


def _finding_rows(found: Sequence[Findings]) -> list[list[str]]:
    rows = [["method", "sentences", "words each", "findings", *_RATES, "findings less 1's", ""]]
    for at, one in enumerate(found, start=1):
        to_first = one.rates.per_explanation.to_first
        sizes = [str(at), str(one.sentences), f"{one.words:.1f}", str(sum(one.by_type.values()))]
        rows.append([*sizes, *_rates(one.rates), difference(to_first), verdict(to_first, fewer_is_better=True)])
    return rows


_RATES = ("per explanation", "95 % interval", "per sentence", "95 % interval", "% without any", "95 % interval")


def _rates(rates: Rates) -> list[str]:
    plain = [text for one in (rates.per_explanation, rates.per_sentence) for text in _figure(one)]
    return [*plain, share(rates.clean.value), interval(rates.clean.interval, share)]


def _figure(figure: Figure) -> list[str]:
    return [number(figure.value), interval(figure.interval, number)]


def _type_rows(found: Sequence[Findings]) -> list[list[str]]:
    rows = [["type", *(f"method {at}" for at in range(1, len(found) + 1))]]
    return rows + [[kind.full_name, *(str(one.by_type[kind]) for one in found)] for kind in MADR_TYPES]


def _refined_rows(found: Sequence[Findings]) -> list[list[str]]:
    rows = [["method", "", *_RATES, "after less before", ""]]
    for at, one in enumerate(found, start=1):
        if one.before is not None and one.refined is not None:
            changed = one.refined.per_explanation.to_first
            said = [difference(changed), verdict(changed, fewer_is_better=True)]
            rows.append([str(at), "before", *_rates(one.before), "", ""])
            rows.append(["", "after", *_rates(one.refined), *said])
    return rows


def _cost_rows(methods: Sequence[Method]) -> list[list[str]]:
    rows = [["method", "calls", "prompt tokens", "new tokens", "seconds"]]
    for at, one in enumerate(methods, start=1):
        cost = one.cost
        counts = [_known(cost.calls, 2), _known(cost.prompt_tokens, 0), _known(cost.new_tokens, 0)]
        rows.append([str(at), *counts, _known(cost.seconds, 2)])
    return rows


def _known(value: float | None, places: int) -> str:
    return "-" if value is None else f"{value:.{places}f}"


def _gold(gold: Gold) -> list[str]:
    without = f" ({gold.without} have none)" if gold.without else ""
    head = f"METEOR of the justification, over {how_many(gold.claims, 'claim')} with a gold one{without}: {gold.file}"
    levels = list(gold.methods[0].levels)
    rows = [["method", "METEOR", "95 % interval", "less 1's", "less its baseline", *(f"@ {level}" for level in levels)]]
    for at, one in enumerate(gold.methods, start=1):
        over: Difference | None = one.over_floor.to_first
        scores = [*_figure(one.meteor), difference(one.meteor.to_first), difference(over)]
        rows.append([str(at), *scores, *(number(one.levels[level]) for level in levels)])
        floor = [number(one.floor), "", "", "", *(number(one.floor_levels[level]) for level in levels)]
        rows.append(["  baseline", *floor])
    told = "@ L: 0 where the evidence score is not above L; baseline: the evidence's questions and answers in its place"
    return [head, *table(rows), told]
