"""The history of a training: its losses and held-out scores so far, the best score, and the end of patience.

Limitations: the Trainer stores the numbers in every checkpoint. This module only reads them.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from src.training.recipe import Recipe

PREFIX = "eval_"  # the Trainer's prefix of a held-out score


class Loss(msgspec.Struct, frozen=True):
    """The mean training loss since the previous row."""

    step: int
    loss: float
    seconds: float


class Score(msgspec.Struct, frozen=True):
    step: int
    scores: dict[str, float]
    seconds: float


class History(msgspec.Struct, frozen=True):
    losses: list[Loss]
    scores: list[Score]
    chosen_by: str

    @property
    def seconds(self) -> float:
        return max([0.0, *(row.seconds for row in self.losses), *(row.seconds for row in self.scores)])

    @property
    def last_step(self) -> int:
        return max([0, *(row.step for row in self.losses), *(row.step for row in self.scores)])

    @property
    def best(self) -> Score | None:
        """Return the first row with the highest score, or None without scores."""
        return max(self.scores, key=lambda row: row.scores[self.chosen_by], default=None)

    def patience_is_over(self, recipe: Recipe) -> bool:
        """Return True if at least `patience` scores came after the best one."""
        return self.best is not None and len(self.scores) - self.scores.index(self.best) > recipe.patience


def read_history(rows: Sequence[Mapping[str, Any]], chosen_by: str) -> History:
    """Return the history in the rows of the Trainer's `log_history`."""
    losses = [Loss(row["step"], row["loss"], row["seconds"]) for row in rows if "loss" in row]
    scores = [_score(row) for row in rows if PREFIX + chosen_by in row]
    return History(losses, scores, chosen_by)


def _score(row: Mapping[str, Any]) -> Score:
    scores = {name.removeprefix(PREFIX): value for name, value in row.items() if name.startswith(PREFIX)}
    return Score(row["step"], scores, row["seconds"])
