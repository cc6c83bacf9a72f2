"""A reliability diagram: share right against probability, with the number of claims in each bin below.

Perfect probabilities are on the diagonal. Source: Guo et al. 2017, figure 1, with 95 % intervals instead of bars.
"""

from math import atan2, degrees

from markupsafe import Markup

from src.evaluation.calibration import Bin, Calibration
from src.report.charts.scale import Scale, short, ticks
from src.report.charts.svg import WIDTH, drawing, element, line, path, text

LEFT, RIGHT, TOP, BOTTOM = 40.0, WIDTH - 12, 30.0, 234.0
COUNTS_TOP, COUNTS_BOTTOM = 258.0, 292.0
ACROSS, UP = Scale(0.0, 1.0, LEFT, RIGHT), Scale(0.0, 1.0, BOTTOM, TOP)


def reliability(found: Calibration, title: str, description: str) -> Markup:
    """Return the diagram's SVG. Requires at least one bin."""
    turned = f"rotate({-degrees(atan2(BOTTOM - TOP, RIGHT - LEFT)):.1f} {ACROSS(0.04):.0f} {UP(0.06):.0f})"
    named = element("text", "ideal", x=ACROSS(0.04), y=UP(0.06), transform=turned, class_="quiet")
    points = path([(ACROSS(one.confidence), UP(one.right)) for one in found.bins], "series s1")
    dots = [part for one in found.bins for part in _dot(one)]
    return drawing(
        338,
        title,
        description,
        *_axes(),
        line(LEFT, BOTTOM, RIGHT, TOP, "ideal"),
        named,
        points,
        *dots,
        *_counts(found),
    )


def _axes() -> list[Markup]:
    parts = [text("Share right", 0, 14, class_="quiet"), text("Claims", 0, COUNTS_TOP + 6, class_="quiet"),
             text("Probability of the predicted verdict", RIGHT, 332, "end", "quiet")]  # fmt: skip
    for value in ticks(0.0, 1.0):
        parts.append(line(LEFT, UP(value), RIGHT, UP(value), "axis" if value == 0 else "rule"))
        parts.append(text(short(value), LEFT - 6, UP(value) + 4, "end", "quiet"))
        parts.append(text(short(value), ACROSS(value), COUNTS_BOTTOM + 18, "middle", "quiet"))
    return [*parts, line(LEFT, COUNTS_BOTTOM, RIGHT, COUNTS_BOTTOM, "axis")]


def _dot(one: Bin) -> list[Markup]:
    x, (low, high) = ACROSS(one.confidence), one.interval
    return [line(x, UP(low), x, UP(high), "interval"), element("circle", cx=x, cy=UP(one.right), r=4.5, class_="dot")]


def _counts(found: Calibration) -> list[Markup]:
    most = max(one.claims for one in found.bins)
    tall = Scale(0.0, most, COUNTS_BOTTOM, COUNTS_TOP)
    parts = []
    for one in found.bins:
        left, top = ACROSS(one.low) + 1, tall(one.claims)
        parts.append(element("rect", x=left, y=top, width=ACROSS(one.high) - left - 1, height=COUNTS_BOTTOM - top,
                             class_="count"))  # fmt: skip
        parts.append(text(str(one.claims), (ACROSS(one.low) + ACROSS(one.high)) / 2, top - 3, "middle", "quiet small"))
    return parts
