"""What a run found: the record that is written as JSON, and its tables."""

from math import isnan

import msgspec

from bench.retrieval.summary import Figure, Summary

_WITH_INTERVAL, _OTHERS = ("together", "single"), ("gold pages", "own", "METEOR")


class PoolResult(msgspec.Struct):
    """`sentences`: fewest, median and most that a claim's pool has. `gold_pages`: claims with one or more, pages."""

    sentences: tuple[int, float, int]
    answers: int
    gold_pages: tuple[int, int]
    systems: dict[str, Summary] = {}


class Result(msgspec.Struct):
    """`pools` by name; `seeds` of the shuffle."""

    split: str
    study: str
    claims: int
    seeds: int
    pools: dict[str, PoolResult] = {}


def table(name: str, pool: PoolResult) -> str:
    """The systems of a pool, one a line, with the differences to those that all are compared with."""
    low, middle, high = pool.sentences
    with_pages, pages = pool.gold_pages
    title = f"pool {name}: {low} to {high} sentences, median {middle:.0f}; {pool.answers} gold answers; "
    others = list(dict.fromkeys(other for one in pool.systems.values() for other in one.versus))
    rows = [_head(others), *(_cells(system, one, others) for system, one in pool.systems.items())]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [[cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)] for row in rows]
    named = ["  ".join([row[0].ljust(widths[0]), *line]) for row, line in zip(rows, lines, strict=True)]
    return "\n".join([f"{title}{pages} gold pages in the pools of {with_pages} claims", *named])


def _head(others: list[str]) -> list[str]:
    beside = [cell for other in others for cell in (f"over {other}", "95 %")]
    return ["", *(cell for share in _WITH_INTERVAL for cell in (share, "95 %", *beside)), *_OTHERS]


def _cells(system: str, one: Summary, others: list[str]) -> list[str]:
    cells = [system]
    for share in _WITH_INTERVAL:
        cells += _with_interval(one.shares[share])
        for other in others:
            cells += _with_interval(one.versus[other].over[share], "+") if other in one.versus else ("", "")
    return [*cells, *(_number(one.shares[share]) for share in _OTHERS)]


def _with_interval(figure: Figure, sign: str = "") -> tuple[str, str]:
    return _number(figure, sign), "" if isnan(figure.low) else f"{figure.low:{sign}.3f} to {figure.high:{sign}.3f}"


def _number(figure: Figure, sign: str = "") -> str:
    return "" if isnan(figure.value) else f"{figure.value:{sign}.3f}"
