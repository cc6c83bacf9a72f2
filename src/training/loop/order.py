"""In which order examples are seen: every step's examples, for the whole training, from the seed alone.

In each epoch the examples are shuffled, sorted by length within stretches of a few batches, cut into batches, and the
batches shuffled: a batch holds texts of like length, so that little is padded.

But: known before the first step, so that a run that goes on after a kill only skips what was done.
"""

import math
import random
from collections.abc import Sequence

STRETCH = 16  # batches that are sorted by length together


def ordered_steps(lengths: Sequence[int], batch: int, steps: int, seed: int) -> list[list[int]]:
    """For each step the places of its examples. The last batch of an epoch may be smaller."""
    random_order = random.Random(seed)
    found: list[list[int]] = []
    while len(found) < steps:
        found += _epoch(lengths, batch, random_order)
    return found[:steps]


def count_steps(examples: int, batch: int, epochs: float) -> int:
    """How many steps that many epochs make, at least one."""
    return max(1, round(math.ceil(examples / batch) * epochs))


def _epoch(lengths: Sequence[int], batch: int, random_order: random.Random) -> list[list[int]]:
    places = list(range(len(lengths)))
    random_order.shuffle(places)
    stretches = [places[first : first + STRETCH * batch] for first in range(0, len(places), STRETCH * batch)]
    ordered = [place for stretch in stretches for place in sorted(stretch, key=lengths.__getitem__)]
    batches = [ordered[first : first + batch] for first in range(0, len(ordered), batch)]
    random_order.shuffle(batches)
    return batches
