"""What a run found: the record that is written as JSON, and its tables."""

from collections.abc import Mapping
from math import isnan

import msgspec

from bench.retrieval.summary import SHARES, Figure, Summary


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
    """A block for each share: a system a line, with the differences to those that all are compared with."""
    low, middle, high = pool.sentences
    with_pages, pages = pool.gold_pages
    title = f"pool {name}: {low} to {high} sentences, median {middle:.0f}; {pool.answers} gold answers; "
    blocks = [_block(share, pool.systems) for share in SHARES]
    return "\n".join([f"{title}{pages} gold pages in the pools of {with_pages} claims", *blocks])


def _block(share: str, systems: Mapping[str, Summary]) -> str:
    others = [name for name in systems if any(name in one.versus for one in systems.values())]
    rows = [[share, "", "95 %", *(cell for other in others for cell in (f"over {other}", "95 %"))]]
    for name, one in systems.items():
        beside = [cell for other in others for cell in _beside(one, other, share)]
        rows.append([name, *_with_interval(one.shares[share]), *beside])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [[cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)] for row in rows]
    return "\n".join("  ".join([row[0].ljust(widths[0]), *line]) for row, line in zip(rows, lines, strict=True))


def _beside(one: Summary, other: str, share: str) -> tuple[str, str]:
    return _with_interval(one.versus[other].over[share], "+") if other in one.versus else ("", "")


def _with_interval(figure: Figure, sign: str = "") -> tuple[str, str]:
    if isnan(figure.value):
        return "", ""
    return f"{figure.value:{sign}.3f}", f"{figure.low:{sign}.3f} to {figure.high:{sign}.3f}"
