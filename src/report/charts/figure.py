"""A chart on a page: its drawing, its caption, and its data as a table."""

from collections.abc import Sequence

import msgspec
from markupsafe import Markup


class DataTable(msgspec.Struct, frozen=True):
    """A table; the first column names the rows, the others are formatted numbers."""

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


class ChartFigure(msgspec.Struct, frozen=True):
    drawing: Markup
    caption: str
    data: DataTable
