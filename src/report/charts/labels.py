"""Where the name of a line stands: beside the line itself, off all lines and all other names, instead of a legend."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

Point = tuple[float, float]
LETTER, HEIGHT, GAP = 7.0, 13.0, 5.0  # of the charts' letters, in their units


class Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    def holds(self, point: Point) -> bool:
        return self.left <= point[0] <= self.right and self.top <= point[1] <= self.bottom

    def around(self, other: "Box") -> bool:
        return self.holds((other.left, other.top)) and self.holds((other.right, other.bottom))

    def meets(self, other: "Box") -> bool:
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


def placed(
    names: Sequence[str], lines: Sequence[Sequence[Point]], inside: Box, avoided: Sequence[Sequence[Point]] = ()
) -> list[Box]:
    """A box for each name: of all places above and below its line, the one that covers least of all lines.

    `avoided` are lines without a name. Where no place lies inside, the name stands at its line's first point.
    """
    dense = [point for line in (*lines, *avoided) for point in _dense(line)]
    found: list[Box] = []
    for name, line in zip(names, lines, strict=True):
        places = [box for point in _dense(line) for box in _beside(point, name) if inside.around(box)]
        first = _beside(line[0], name)[0]
        found.append(min(places, key=lambda box: _covered(box, dense, found), default=first))
    return found


def _beside(point: Point, name: str) -> list[Box]:
    """Right of a point and above it, and left of it and below."""
    (x, y), width = point, LETTER * len(name)
    corners = ((x + GAP, y - HEIGHT - GAP), (x - width - GAP, y + GAP))
    return [Box(left, top, left + width, top + HEIGHT) for left, top in corners]


def _covered(box: Box, points: Sequence[Point], taken: Sequence[Box]) -> int:
    return sum(box.holds(point) for point in points) + 1000 * sum(box.meets(other) for other in taken)


def _dense(line: Sequence[Point]) -> list[Point]:
    """The points and nine between each two of them."""
    between = pairwise(line)
    return [
        (x + (to_x - x) * part / 10, y + (to_y - y) * part / 10)
        for (x, y), (to_x, to_y) in between
        for part in range(10)
    ] + list(line[-1:])
