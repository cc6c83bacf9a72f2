"""What is to be rated, and in which order an annotator meets it: claim after claim, the same for all of them.

The explanations of one claim stand together, in an order drawn anew for each annotator and claim.
"""

import random
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from src.explanation.annotation.shown import Shown, Text, shown
from src.explanation.records import ExplainedClaim, Item


class Task(NamedTuple):
    """An explanation, and the methods that gave it, word for word: it is rated once for all of them."""

    shown: Shown
    methods: tuple[str, ...]

    @property
    def items(self) -> list[Item]:
        return [(method, self.shown.claim_id) for method in self.methods]


class Study(NamedTuple):
    """`claims` in order, each with its tasks."""

    claims: Sequence[Sequence[Task]]
    seed: int

    def order(self, annotator: str) -> list[Task]:
        """The same for the same annotator and seed."""
        found = []
        for tasks in self.claims:
            drawn = random.Random(f"{self.seed} {tasks[0].shown.claim_id} {annotator}")
            found += drawn.sample(tasks, len(tasks))
        return found


def study(methods: Sequence[str], shared: Sequence[Sequence[ExplainedClaim]], seed: int) -> Study:
    """`shared` are the explanations of the same claims, by method."""
    return Study([_tasks(methods, claims) for claims in zip(*shared, strict=True)], seed)


def texts(methods: Sequence[str], shared: Sequence[Sequence[ExplainedClaim]]) -> Mapping[Item, Text]:
    """The text that a rating of each item must be of."""
    named = zip(methods, shared, strict=True)
    return {(name, claim.claim_id): shown(claim).text for name, claims in named for claim in claims}


def _tasks(methods: Sequence[str], claims: Sequence[ExplainedClaim]) -> list[Task]:
    found: dict[str, Task] = {}
    for method, claim in zip(methods, claims, strict=True):
        seen = shown(claim)
        earlier = found.get(seen.text.hash)
        found[seen.text.hash] = Task(seen, (*(earlier.methods if earlier else ()), method))
    return list(found.values())
