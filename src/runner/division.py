"""Division of claims into the parts that `--shard I/N` names."""

from bisect import bisect_left
from collections.abc import Sequence

import msgspec

from src.errors import InputError

UNITS = (200, 40)  # claims: multiples of the steps' batches of 8, 10 and 50, and of 8 and 10
SHORT_UNIT = 10  # claims: the batch of reranking and verdicts
UNITS_A_PART = 4  # at least, so that no part is much longer than another


class Part(msgspec.Struct, frozen=True):
    """One of `count` parts; `index` counts from 0."""

    index: int
    count: int

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"


def read_part(text: str) -> Part:
    """Return the part that a text such as `3/8` names. Raises ValueError with a message for the user."""
    index, slash, count = text.partition("/")
    if not (slash and index.isdecimal() and count.isdecimal() and int(index) < int(count)):
        raise ValueError(f"{text} is no I/N with I from 0 to N - 1, such as 0/8")
    return Part(int(index), int(count))


def divide(claim_ids: Sequence[int], start: int, end: int, count: int) -> tuple[int, ...]:
    """Return the `count` + 1 bounds of the parts of the claims `start` to `end` - 1: part i is bound i to bound i + 1.

    `claim_ids` are all claims, sorted. Where parts are long enough, they begin at multiples of the batches of steps, so
    that no batch is cut. Raises InputError when there are fewer claims than parts.
    """
    low, high = bisect_left(claim_ids, start), bisect_left(claim_ids, end)
    if high - low < count:
        raise InputError(f"--shard I/{count}: the claims {start} to {end - 1} are only {high - low}")
    unit = _unit(high - low, count)
    inner = (_nearest(low * count + part * (high - low), count * unit) * unit for part in range(1, count))
    return (start, *(claim_ids[place - 1] + 1 for place in inner), end)


def _unit(claims: int, count: int) -> int:
    """Return the number of claims of which the parts begin at a multiple."""
    for unit in UNITS:
        if claims >= UNITS_A_PART * unit * count:
            return unit
    return SHORT_UNIT if claims >= SHORT_UNIT * count else 1


def _nearest(number: int, divisor: int) -> int:
    """Return number / divisor, rounded to the nearest integer."""
    return (2 * number + divisor) // (2 * divisor)
