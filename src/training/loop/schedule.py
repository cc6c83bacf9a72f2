"""The schedule of a training: when it logs, takes the held-out score, writes a checkpoint, and ends.

It ends at the last step, out of patience, or out of time. A checkpoint follows every score, so a continued run repeats
at most `every` steps.
"""

import time
from typing import Any

from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from src.training.loop.history import History, read_history
from src.training.recipe import Recipe

LOG_EVERY = 10  # steps; the loss is also logged at each score


class Pace(TrainerCallback):
    """The callback that schedules a training. `ended` is the reason for its end, None while it runs."""

    def __init__(self, recipe: Recipe, steps: int, done: History) -> None:
        self._recipe, self._steps, self._chosen_by = recipe, steps, done.chosen_by
        self._limit = None if recipe.max_minutes is None else 60 * recipe.max_minutes
        self._started = time.monotonic() - done.seconds
        self.ended = self._end(done) if done.scores else None

    @property
    def seconds(self) -> float:
        """Return the seconds of training, over all starts. Steps that a kill discarded do not count."""
        return round(time.monotonic() - self._started, 2)

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> TrainerControl:
        step = state.global_step
        out_of_time = self._limit is not None and self.seconds > self._limit
        scored = step % self._recipe.every == 0 or step >= self._steps or out_of_time
        control.should_log = scored or step % self._recipe.every % LOG_EVERY == 0
        control.should_evaluate = control.should_save = scored
        return control

    def on_evaluate(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> TrainerControl:
        self.ended = self._end(read_history(state.log_history, self._chosen_by))
        control.should_training_stop = self.ended is not None
        return control

    def _end(self, history: History) -> str | None:
        if history.last_step >= self._steps:
            return "all steps done"
        if history.patience_is_over(self._recipe):
            return "no better for a while"
        if self._limit is not None and history.seconds > self._limit:
            return "out of time"
        return None
