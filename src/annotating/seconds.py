"""Time that an annotator has looked at a text, summed over all visits."""

from typing import Annotated

import msgspec

MOST_SECONDS = 1e7
Seconds = Annotated[float, msgspec.Meta(ge=0, le=MOST_SECONDS)]


def added(before: float, more: float) -> float:
    """Return the sum to a tenth of a second, at most MOST_SECONDS."""
    return min(round(before + more, 1), MOST_SECONDS)
