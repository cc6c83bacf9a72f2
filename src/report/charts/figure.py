"""A chart as it stands on a page: its drawing, what it shows in words, its data as a table."""

from collections.abc import Sequence

import msgspec
from markupsafe import Markup


class DataTable(msgspec.Struct, frozen=True):
    """The first column names the rows; the others are numbers, written out."""

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


class ChartFigure(msgspec.Struct, frozen=True):
    drawing: Markup
    caption: str
    data: DataTable
