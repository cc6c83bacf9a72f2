"""The training of a task by its recipe with the Trainer of transformers: order, early stopping, checkpoints, best
weights.

Each item of the Trainer's data set is a whole step. The examples of a step go through the model in parts of similar
length with a limit of tokens, and their gradients are added. A killed run continues from its last checkpoint and ends
with the weights of an uninterrupted run: same order, same state of optimizer and random numbers.

Limitations: one device. On a GPU, sums may be rounded differently from run to run.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import torch
from transformers import Trainer, TrainingArguments, set_seed
from transformers.trainer_callback import DefaultFlowCallback, PrinterCallback

from src.errors import ModelError
from src.llm.batching import sub_batches
from src.llm.loading import find_device, silence
from src.training.loop.adapters import load_weights, save_weights
from src.training.loop.checkpoints import WEIGHTS, finish, folder_of, last_rows, newest
from src.training.loop.history import PREFIX, History, read_history
from src.training.loop.order import count_steps, ordered_steps
from src.training.loop.precision import autocast
from src.training.loop.progress import TrainingProgress
from src.training.loop.schedule import Pace
from src.training.recipe import Recipe
from src.training.task import Final, Scores, Task

if TYPE_CHECKING:
    from torch import Tensor

ROWS = 256  # the most rows of a part of a step


class Fitted(msgspec.Struct, frozen=True):
    """The result of a training; the task's model has the best weights. `ended` is the reason for the end."""

    history: History
    steps: int
    planned: int
    best_step: int
    seconds: float
    ended: str


def planned_steps(task: Task, recipe: Recipe) -> int:
    return recipe.steps or count_steps(len(task.lengths), recipe.batch, recipe.epochs)


def fit(task: Task, recipe: Recipe, folder: Path, *, quiet: bool = False) -> Fitted:
    """Train a task, or continue its training, and load the best weights.

    `folder` has the checkpoints of this run alone. Raises ModelError when the loss is not finite or a held-out score is
    not a number.
    """
    silence()
    task.model.to(find_device())
    steps = ordered_steps(task.lengths, recipe.batch, planned_steps(task, recipe), recipe.seed)
    set_seed(recipe.seed)
    last = newest(folder)
    done = read_history(last_rows(last), task.chosen_by)
    with TrainingProgress(recipe.name, len(steps), done, quiet=quiet) as progress:
        pace = Pace(recipe, len(steps), done)
        if pace.ended is None:
            trainer = _Trainer(task, recipe, steps, folder, pace, progress)
            trainer.train(resume_from_checkpoint=str(last) if last else None)
            done = trainer.history
    best = done.best
    assert best is not None
    assert pace.ended is not None
    load_weights(task.model, folder_of(folder, best.step) / WEIGHTS)
    return Fitted(done, done.last_step, len(steps), best.step, done.seconds, pace.ended)


class _Trainer(Trainer):
    """The Trainer with our steps, our held-out score and our checkpoints, which are whole or do not exist."""

    def __init__(
        self,
        task: Task,
        recipe: Recipe,
        steps: Sequence[Sequence[int]],
        folder: Path,
        pace: Pace,
        progress: TrainingProgress,
    ) -> None:
        self._task, self._recipe, self._folder, self._pace, self._progress = task, recipe, folder, pace, progress
        super().__init__(
            model=task.model,
            args=_arguments(recipe, len(steps), folder),
            train_dataset=[{"places": list(step)} for step in steps],
            data_collator=_only,
            callbacks=[pace],
        )
        self.remove_callback(PrinterCallback)
        self.remove_callback(DefaultFlowCallback)

    @property
    def history(self) -> History:
        return read_history(self.state.log_history, self._task.chosen_by)

    def training_step(self, model: Any, inputs: Any, num_items_in_batch: Any = None) -> "Tensor":
        """Compute the gradients of one step, and return its mean loss."""
        self._task.model.train()
        step: list[int] = inputs["places"]
        weight = sum(self._task.weights[place] for place in step)
        total = torch.zeros((), device=self.args.device)
        for part in sub_batches([self._task.lengths[place] for place in step], ROWS, self._recipe.tokens):
            with autocast(self.args.device.type):
                loss = self._task.loss(self._task.model, [step[place] for place in part]) / weight
            self.accelerator.backward(loss)
            total += loss.detach().float()
        if not torch.isfinite(total):
            raise ModelError(f"the loss is no number at step {self.state.global_step + 1}: a smaller learning rate?")
        self._progress.add(total)
        return total

    def evaluate(self, *_: Any, **__: Any) -> Scores:
        self._progress.scoring()
        scores = score(self._task, self.model, self.args.device.type)
        self.log({PREFIX + name: value for name, value in scores.items()})
        self._progress.scored(self.history)
        self.control = self.callback_handler.on_evaluate(self.args, self.state, self.control, scores)
        return scores

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        super().log({**logs, "seconds": self._pace.seconds}, start_time)

    def floating_point_ops(self, inputs: Any) -> int:
        return 0

    def save_model(self, output_dir: str | None = None, _internal_call: bool = False) -> None:
        assert output_dir is not None
        os.makedirs(output_dir, exist_ok=True)
        save_weights(self.model, Path(output_dir) / WEIGHTS)

    def _load_from_checkpoint(self, resume_from_checkpoint: str, model: Any = None) -> None:
        load_weights(self.model, Path(resume_from_checkpoint) / WEIGHTS)

    def _save_checkpoint(self, model: Any, trial: Any) -> None:
        super()._save_checkpoint(model, trial)
        best = self.history.best
        finish(self._folder, self.state.global_step, best.step if best else 0)


def _only(items: Sequence[dict[str, list[int]]]) -> dict[str, list[int]]:
    (item,) = items
    return item


def score(task: Task, model: Any, device: str) -> Scores:
    """Return the held-out scores of the current model. Raises ModelError when one is not a number."""
    model.eval()
    random = torch.get_rng_state()
    with torch.no_grad(), autocast(device):
        scores = task.held_out(model)
    torch.set_rng_state(random)
    if any(value != value for value in scores.values()):
        raise ModelError("a held-out score is no number")
    return scores


def final_of(task: Task) -> Final:
    """Return the task's results of its finished model."""
    task.model.eval()
    with torch.no_grad(), autocast(find_device()):
        return task.final(task.model)


def _arguments(recipe: Recipe, steps: int, folder: Path) -> TrainingArguments:
    found = TrainingArguments(
        output_dir=str(folder),
        max_steps=steps,
        per_device_train_batch_size=1,  # an item is a whole step
        train_sampling_strategy="sequential",
        learning_rate=recipe.learning_rate,
        lr_scheduler_type="linear",
        warmup_steps=round(recipe.warmup * steps),
        weight_decay=recipe.weight_decay,
        seed=recipe.seed,
        eval_strategy="no",  # `Pace` schedules it
        save_strategy="no",
        logging_strategy="no",
        report_to=[],
        disable_tqdm=True,
        remove_unused_columns=False,
        dataloader_pin_memory=False,
    )
    found._n_gpu = min(1, found.n_gpu)  # with several GPUs the Trainer would run several steps at once
    return found
