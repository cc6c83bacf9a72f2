"""The order of examples: the examples of every step of a training, determined by the seed alone.

In each epoch the examples are shuffled, sorted by length within stretches of a few batches, and cut into batches. Then
the batches are shuffled. A batch has texts of similar length, so little is padded.

The order is known before the first step. A run that continues after a kill only skips the steps that were done.
"""

import math
import random
from collections.abc import Sequence

STRETCH = 16  # batches that are sorted by length together


def ordered_steps(lengths: Sequence[int], batch: int, steps: int, seed: int) -> list[list[int]]:
    """Return the indices of the examples of each step. The last batch of an epoch may be smaller."""
    random_order = random.Random(seed)
    found: list[list[int]] = []
    while len(found) < steps:
        found += _epoch(lengths, batch, random_order)
    return found[:steps]


def count_steps(examples: int, batch: int, epochs: float) -> int:
    """Return the number of steps of that many epochs, at least one."""
    return max(1, round(math.ceil(examples / batch) * epochs))


def _epoch(lengths: Sequence[int], batch: int, random_order: random.Random) -> list[list[int]]:
    places = list(range(len(lengths)))
    random_order.shuffle(places)
    stretches = [places[first : first + STRETCH * batch] for first in range(0, len(places), STRETCH * batch)]
    ordered = [place for stretch in stretches for place in sorted(stretch, key=lengths.__getitem__)]
    batches = [ordered[first : first + batch] for first in range(0, len(ordered), batch)]
    random_order.shuffle(batches)
    return batches
