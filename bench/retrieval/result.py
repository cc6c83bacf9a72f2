"""What a run found: the record that is written as JSON, and its tables."""

from collections.abc import Sequence
from math import isnan
from statistics import median

import msgspec

from bench.retrieval.cost import Cost
from bench.retrieval.summary import Figure, Summary

_HEAD = (
    "", "together", "95 %", "by seed", "over bm25", "95 %", "single", "95 %",
    "gold pages", "own", "METEOR", "seconds", "MB",
)  # fmt: skip


class PoolResult(msgspec.Struct):
    """`sentences`: fewest, median and most that a claim's pool has. `gold_pages`: claims with one or more, pages."""

    sentences: tuple[int, float, int]
    answers: int
    gold_pages: tuple[int, int]
    systems: dict[str, Summary] = {}
    costs: dict[str, list[Cost]] = {}


class Result(msgspec.Struct):
    """`pools` by name; `seeds` of the shuffle."""

    split: str
    claims: int
    seeds: int
    pools: dict[str, PoolResult] = {}


def table(name: str, pool: PoolResult) -> str:
    """The systems of a pool, one a line."""
    low, middle, high = pool.sentences
    with_pages, pages = pool.gold_pages
    title = f"pool {name}: {low} to {high} sentences, median {middle:.0f}; {pool.answers} gold answers; "
    rows = [_HEAD, *(_cells(system, one, pool.costs.get(system, [])) for system, one in pool.systems.items())]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [[cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)] for row in rows]
    named = ["  ".join([row[0].ljust(widths[0]), *line]) for row, line in zip(rows, lines, strict=True)]
    return "\n".join([f"{title}{pages} gold pages in the pools of {with_pages} claims", *named])


def _cells(system: str, one: Summary, costs: Sequence[Cost]) -> tuple[str, ...]:
    by_seed = one.by_seed["together"]
    return (
        system,
        *_with_interval(one.shares["together"]),
        f"{min(by_seed):.3f} to {max(by_seed):.3f}",
        *(_with_interval(one.over["together"]) if one.over else ("", "")),
        *_with_interval(one.shares["single"]),
        *(_number(one.shares[share]) for share in ("gold pages", "own", "METEOR")),
        f"{median(cost.seconds for cost in costs):.2f}" if costs else "",
        f"{median(cost.peak - cost.before for cost in costs) / 1e6:.0f}" if costs else "",
    )


def _with_interval(figure: Figure) -> tuple[str, str]:
    return _number(figure), "" if isnan(figure.low) else f"{figure.low:.3f} to {figure.high:.3f}"


def _number(figure: Figure) -> str:
    return "" if isnan(figure.value) else f"{figure.value:.3f}"
