"""Halves of the data: one to develop rules on, one to report on."""

from collections.abc import Sequence
from enum import StrEnum
from typing import TypeVar

T = TypeVar("T")


class Half(StrEnum):
    """Rules may be changed by what the first half shows. The second one is for reporting only."""

    DEVELOP = "develop"
    REPORT = "report"


def half_of(items: Sequence[T], half: Half) -> Sequence[T]:
    """Return every other item, beginning with the first (`DEVELOP`) or the second."""
    return items[half is Half.REPORT :: 2]
