"""The loss curve of a training as SVG: the loss on training claims and the held-out score over the steps.

Limitations: both lines are in one frame, each on its own scale. The drawing is not interactive.
"""

from collections.abc import Sequence
from html import escape

from src.training.loop.history import History

WIDTH, HEIGHT = 640, 320
LEFT, RIGHT, TOP, BOTTOM = 64, 64, 36, 40
LOSS, SCORE, INK, FAINT = "#3465a4", "#c4651a", "#333333", "#dddddd"
SMOOTH = 5  # the most rows of loss that a point is the mean of

Points = Sequence[tuple[int, float]]


def loss_curve(title: str, history: History) -> str:
    """Return the drawing as SVG text. The best score is marked."""
    losses = _smoothed([(row.step, row.loss) for row in history.losses])
    scores = [(row.step, row.scores[history.chosen_by]) for row in history.scores]
    last = max(1, history.last_step)
    parts = [_frame(title), _steps(last)]
    parts += _line(losses, last, LOSS, "training loss", LEFT - 6, "end", 0)
    parts += _line(scores, last, SCORE, f"held out: {history.chosen_by}", WIDTH - RIGHT + 6, "start", 1)
    if history.best is not None:
        x, y = _placed([(history.best.step, history.best.scores[history.chosen_by])], last, _range(scores))[0]
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{SCORE}"/>')
    size = f'width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}"'
    style = 'font-family="sans-serif" font-size="12"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>\n' + "\n".join(parts) + "\n</svg>\n"


def _frame(title: str) -> str:
    box = f'<rect x="{LEFT}" y="{TOP}" width="{WIDTH - LEFT - RIGHT}" height="{HEIGHT - TOP - BOTTOM}"'
    back = f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>'
    return f'{back}\n{box} fill="none" stroke="{FAINT}"/>\n{_text(title, LEFT, 16, INK, "start")}'


def _steps(last: int) -> str:
    return "\n".join(
        _text(f"step {last * part // 4}", _x(last * part / 4, last), HEIGHT - BOTTOM + 16, INK, "middle")
        for part in range(5)
    )


def _line(points: Points, last: int, colour: str, name: str, x: float, anchor: str, place: int) -> list[str]:
    """Return the line, its name below the frame, and its smallest and largest value beside the frame."""
    if not points:
        return []
    low, high = _range(points)
    drawn = " ".join(f"{x:.1f},{y:.1f}" for x, y in _placed(points, last, (low, high)))
    return [
        f'<polyline points="{drawn}" fill="none" stroke="{colour}" stroke-width="1.5"/>',
        _text(_short(high), x, TOP + 10, colour, anchor),
        _text(_short(low), x, HEIGHT - BOTTOM, colour, anchor),
        _text(name, LEFT + place * (WIDTH - LEFT - RIGHT), HEIGHT - 6, colour, "end" if place else "start"),
    ]


def _placed(points: Points, last: int, span: tuple[float, float]) -> list[tuple[float, float]]:
    low, high = span
    tall = HEIGHT - TOP - BOTTOM - 12
    return [
        (_x(step, last), HEIGHT - BOTTOM - 6 - tall * (value - low) / ((high - low) or 1)) for step, value in points
    ]


def _x(step: float, last: int) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * step / last


def _range(points: Points) -> tuple[float, float]:
    values = [value for _, value in points]
    return min(values), max(values)


def _smoothed(points: Points) -> list[tuple[int, float]]:
    """Return each loss as the mean of itself and the few before it, because single batches are noisy."""
    values = [value for _, value in points]
    spans = [(max(0, end - SMOOTH), end) for end in range(1, len(points) + 1)]
    return [(points[end - 1][0], sum(values[first:end]) / (end - first)) for first, end in spans]


def _short(value: float) -> str:
    return f"{value:.3g}"


def _text(text: str, x: float, y: float, colour: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" text-anchor="{anchor}">{escape(text)}</text>'
