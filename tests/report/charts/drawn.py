"""A drawing read back, as a browser would."""

import xml.etree.ElementTree as Tree

from markupsafe import Markup


def parsed(drawing: Markup) -> Tree.Element:
    """Raises ParseError where it is not well-formed."""
    return Tree.fromstring(drawing)


def texts(drawing: Markup) -> list[str]:
    return [one.text or "" for one in parsed(drawing).iter("text")]


def of_class(drawing: Markup, name: str) -> list[Tree.Element]:
    return [one for one in parsed(drawing).iter() if name in (one.get("class") or "").split()]


def places(path: Tree.Element) -> list[tuple[float, float]]:
    """The points of a path of straight lines."""
    steps = (path.get("d") or "").removeprefix("M").removesuffix("Z").split("L")
    return [(float(x), float(y)) for x, y in (step.split() for step in steps)]
