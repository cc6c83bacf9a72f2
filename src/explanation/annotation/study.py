"""Study: the explanations to rate, and their order for each annotator.

Claims come in the same order for all annotators. The explanations of a claim are together, in an order drawn for each
annotator and claim.
"""

import random
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

import msgspec

from src.annotating.stage import Stage
from src.explanation.annotation.ratings import Rating
from src.explanation.annotation.shown import Shown, Text, shown
from src.explanation.records import ExplainedClaim, Item


class Task(msgspec.Struct, frozen=True):
    """An explanation, and the methods that wrote exactly this text: it is rated once for all of them."""

    shown: Shown
    methods: tuple[str, ...]

    @property
    def items(self) -> list[Item]:
        return [(method, self.shown.claim_id) for method in self.methods]


Block = Sequence[Task]
"""The explanations of one claim."""


class Opening(NamedTuple):
    """What an annotator may rate now. `message` is shown on the page; `seat` is the place in a drawn study."""

    stage: Stage
    tasks: list[Task]
    message: str = ""
    seat: int | None = None


class Course(Protocol):
    """Rule for what is open to each annotator, given all ratings in the order of the file."""

    def opening(self, annotator: str, kept: Sequence[Rating]) -> Opening: ...


class Study(NamedTuple):
    """Study in which everything is open to everyone; `claims` are in order, each with its tasks."""

    claims: Sequence[Block]
    seed: int

    def order(self, annotator: str) -> list[Task]:
        """Return the annotator's tasks; their order depends only on annotator, claim and seed."""
        return ordered(self.claims, self.seed, annotator)

    def opening(self, annotator: str, kept: Sequence[Rating]) -> Opening:
        return Opening(Stage.STUDY, self.order(annotator))


def ordered(blocks: Sequence[Block], seed: int, annotator: str) -> list[Task]:
    """Return the tasks block after block, those of a block in an order drawn for the annotator."""
    found: list[Task] = []
    for tasks in blocks:
        drawn = random.Random(f"{seed} {tasks[0].shown.claim_id} {annotator}")
        found += drawn.sample(tasks, len(tasks))
    return found


def study(methods: Sequence[str], shared: Sequence[Sequence[ExplainedClaim]], seed: int) -> Study:
    """Return a study of the explanations; `shared` are those of the same claims, by method."""
    return Study([_tasks(methods, claims) for claims in zip(*shared, strict=True)], seed)


def texts(methods: Sequence[str], shared: Sequence[Sequence[ExplainedClaim]]) -> Mapping[Item, Text]:
    """Return the text that a rating of each item must be of."""
    named = zip(methods, shared, strict=True)
    return {(name, claim.claim_id): shown(claim).text for name, claims in named for claim in claims}


def _tasks(methods: Sequence[str], claims: Sequence[ExplainedClaim]) -> list[Task]:
    found: dict[str, Task] = {}
    for method, claim in zip(methods, claims, strict=True):
        seen = shown(claim)
        earlier = found.get(seen.text.hash)
        found[seen.text.hash] = Task(seen, (*(earlier.methods if earlier else ()), method))
    return list(found.values())
