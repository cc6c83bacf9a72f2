"""When a training logs, is scored, is kept, and ends: at the last step, out of patience, or out of time.

Every score is followed by a checkpoint, so that a run which goes on repeats at most `every` steps.
"""

import time
from typing import Any

from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from src.training.loop.history import History, read_history
from src.training.recipe import Recipe

LOG_EVERY = 10  # steps; each score is logged with the loss up to it


class Pace(TrainerCallback):
    """`ended` says why training ended, None as long as it goes on."""

    def __init__(self, recipe: Recipe, steps: int, done: History) -> None:
        self._recipe, self._steps, self._chosen_by = recipe, steps, done.chosen_by
        self._limit = None if recipe.max_minutes is None else 60 * recipe.max_minutes
        self._started = time.monotonic() - done.seconds
        self.ended = self._end(done) if done.scores else None

    @property
    def seconds(self) -> float:
        """Since the start, over all starts, without what a kill took back."""
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
