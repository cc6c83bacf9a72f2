"""A repeatable choice of a few items of many, spread evenly over their order."""

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def evenly(items: Sequence[T], most: int) -> list[T]:
    """Return `most` of the items, spread evenly over their order, or all if there are no more."""
    if len(items) <= most:
        return list(items)
    return [items[place * len(items) // most] for place in range(most)]
