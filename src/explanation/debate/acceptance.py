"""Whether a revision may take the draft's place: the checks must find nothing in it that they did not find before.

The reference takes every revision; a refiner that changes the verdict, or adds a name or number, makes things worse.
"""

from collections.abc import Sequence

from src.explanation.records import Finding


def kept_back(before: Sequence[Finding], after: Sequence[Finding]) -> str:
    """Why the draft stays; empty where the revision is accepted."""
    known = {(one.type, one.span.casefold()) for one in before}
    new = [one for one in after if (one.type, one.span.casefold()) not in known]
    if new:
        return "; ".join(f"{one.type} {one.span}: {one.reason}" for one in new)
    return "" if len(after) <= len(before) else f"{len(after)} findings where the draft had {len(before)}"
