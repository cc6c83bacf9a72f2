"""SVG elements with everything escaped, and the drawing around them.

Limitations: only classes and presentation attributes. The pages' policy forbids `style` attributes.
"""

from markupsafe import Markup

WIDTH = 440.0  # of all charts, in SVG units; the page scales them


def element(name: str, /, *inside: str, **attributes: str | float) -> Markup:
    """Return an element: `element("text", "p < q", x=1, class_="quiet")`; underscores in attribute names become
    hyphens.
    """
    said = (Markup(' {}="{}"').format(_name(key), _plain(value)) for key, value in attributes.items())
    return Markup("<{0}{1}>{2}</{0}>").format(Markup(name), Markup().join(said), Markup().join(inside))


def drawing(height: float, title: str, description: str, *parts: Markup) -> Markup:
    """Return the SVG as one image for screen readers, which read only its title and description."""
    return element("svg", element("title", title), element("desc", description), *parts,
                   viewBox=f"0 0 {_plain(WIDTH)} {_plain(height)}", role="img", class_="chart")  # fmt: skip


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> Markup:
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)


def text(said: str, x: float, y: float, anchor: str = "start", class_: str = "") -> Markup:
    return element("text", said, x=x, y=y, text_anchor=anchor, class_=class_)


def path(points: list[tuple[float, float]], class_: str, *, closed: bool = False) -> Markup:
    """Return straight lines through the points."""
    steps = "L".join(f"{_plain(x)} {_plain(y)}" for x, y in points)
    return element("path", d=f"M{steps}{'Z' if closed else ''}", class_=class_)


def _name(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def _plain(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.1f}".removesuffix(".0")
