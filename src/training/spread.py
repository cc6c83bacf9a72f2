"""A few items of many, spread evenly over their order, so that the same ones are taken every time."""

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def evenly(items: Sequence[T], most: int) -> list[T]:
    """All of them where there are no more than `most`."""
    if len(items) <= most:
        return list(items)
    return [items[place * len(items) // most] for place in range(most)]
