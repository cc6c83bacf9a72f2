"""File of a drawn study: who rates which claims, with everything that annotators are shown.

It follows the human study of Kim et al. 2024: 20 claims of PolitiHop, and annotators who passed two qualification
rounds that the authors had annotated. Control claims and the rule that excludes annotators are ours.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import msgspec

from src.explanation.annotation.shown import Text
from src.explanation.annotation.study import Block, Task
from src.explanation.records import Item
from src.store import read_json

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Count = Annotated[int, msgspec.Meta(ge=1)]
Tasks = Annotated[list[Task], msgspec.Meta(min_length=1)]


class Assigned(msgspec.Struct, frozen=True):
    """A drawn claim: its explanations, and the seats of those who rate them, from 0."""

    seats: list[int]
    tasks: Tasks


class StudyFile(msgspec.Struct, frozen=True):
    """A drawn study.

    `rounds` are the qualification rounds, one claim each. `controls` are claims that every annotator rates without
    knowing it. Annotators whose agreement with the key is at least `pass_at` in each round get one of `annotators`
    seats. Those whose agreement on the controls is less than `exclude_below` are not scored.
    """

    seed: int
    methods: list[str]
    annotators: Count
    annotators_per_claim: Count
    pass_at: Share
    exclude_below: Share
    rounds: list[Tasks]
    controls: list[Tasks]
    claims: list[Assigned]

    @property
    def keyed(self) -> list[Task]:
        """Return the explanations that the author must rate: those of the rounds and the controls."""
        return [task for block in (*self.rounds, *self.controls) for task in block]

    @property
    def real(self) -> list[Task]:
        """Return the explanations that are scored."""
        return [task for one in self.claims for task in one.tasks]

    def of_seat(self, seat: int) -> list[Block]:
        """Return the claims of a seat mixed with the controls, ordered by claim_id: nothing shows which ones are
        controls.
        """
        blocks: Sequence[Block] = [*self.controls, *(one.tasks for one in self.claims if seat in one.seats)]
        return sorted(blocks, key=lambda tasks: tasks[0].shown.claim_id)

    def texts(self) -> Mapping[Item, Text]:
        """Return the text that a rating of each item must be of."""
        return {item: task.shown.text for task in (*self.keyed, *self.real) for item in task.items}


def read_study(path: Path) -> StudyFile:
    """Return the study in a file.

    Raises: InputError if the file is invalid.
    """
    return read_json(path, StudyFile)
