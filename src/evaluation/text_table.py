"""Plain-text tables."""

from collections.abc import Sequence


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the rows as lines, with columns as wide as needed."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows]
