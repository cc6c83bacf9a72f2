"""The training loop: AdamW on a task's loss, held-out scores, early stopping, and the best weights at the end.

The examples of a step go through the model in parts of similar length with a limit of tokens, and their gradients are
added. Optimizer, schedule and clipping are those of the Trainer of transformers. A killed run continues from its last
held-out score and ends with the weights of an uninterrupted run: same order, same state of optimizer and random
numbers.

Limitations: one device. On a GPU, sums may be rounded differently from run to run.
"""

import math
import random
import sys
import time
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import msgspec
import torch
from tqdm import tqdm
from transformers import get_linear_schedule_with_warmup, set_seed
from transformers.trainer_pt_utils import get_parameter_names

from src.errors import ModelError
from src.llm.batching import sub_batches
from src.llm.loading import find_device, silence
from src.runner.console import LINE_EVERY, say
from src.training.adapters import autocast, load_weights, trained_weights
from src.training.recipe import Recipe
from src.training.run_folder import History, Loss, RunFolder, Score
from src.training.task import Final, Scores, Task

if TYPE_CHECKING:
    from torch import Tensor

ROWS = 256  # the most rows of a part of a step
STRETCH = 16  # batches that are sorted by length together
LOG_EVERY = 10  # steps; the loss is also logged at each score
NO_DECAY = ["bias", "layernorm", "rmsnorm", r"(?:^|\.)norm(?:$|\.)", r"_norm(?:$|\.)"]
MOST_NORM = 1.0  # of the gradients


class Fitted(msgspec.Struct, frozen=True):
    """Result of a training; the task's model then has the best weights.

    `history`: losses and held-out scores.
    `steps`: number of steps that were done.
    `planned`: number of steps that were planned.
    `best_step`: step with the best held-out score.
    `seconds`: time of the training, over all starts of the run.
    `ended`: why the training ended, such as "all steps done".
    """

    history: History
    steps: int
    planned: int
    best_step: int
    seconds: float
    ended: str


def ordered_steps(lengths: Sequence[int], batch: int, steps: int, seed: int) -> list[list[int]]:
    """Return for each step the indices of its examples. The last batch of an epoch may be smaller.

    In each epoch the examples are shuffled, sorted by length within stretches of a few batches, and cut into batches.
    Then the batches are shuffled. A batch has texts of similar length, so little is padded. The seed alone determines
    the order, so a run that continues only skips the steps that were done.
    """
    random_order = random.Random(seed)
    all_batches: list[list[int]] = []
    while len(all_batches) < steps:
        places = list(range(len(lengths)))
        random_order.shuffle(places)
        stretches = [places[first : first + STRETCH * batch] for first in range(0, len(places), STRETCH * batch)]
        ordered = [place for stretch in stretches for place in sorted(stretch, key=lengths.__getitem__)]
        batches = [ordered[first : first + batch] for first in range(0, len(ordered), batch)]
        random_order.shuffle(batches)
        all_batches += batches
    return all_batches[:steps]


def count_steps(examples: int, batch: int, epochs: float) -> int:
    """Return the number of steps in `epochs` epochs, at least one."""
    return max(1, round(math.ceil(examples / batch) * epochs))


def planned_steps(task: Task, recipe: Recipe) -> int:
    return recipe.steps or count_steps(len(task.lengths), recipe.batch, recipe.epochs)


def fit(task: Task, recipe: Recipe, folder: RunFolder, *, quiet: bool = False) -> Fitted:
    """Train a task, or continue its training, and load the best weights.

    A checkpoint follows every held-out score, so a continued run repeats at most `every` steps. Raises ModelError when
    the loss is not finite or a held-out score is not a number.
    """
    silence()
    task.model.to(find_device())
    steps = ordered_steps(task.lengths, recipe.batch, planned_steps(task, recipe), recipe.seed)
    loop = _Loop(task, recipe, folder, len(steps))
    with TrainingProgress(recipe.name, len(steps), loop.step, quiet=quiet) as progress:
        while (ended := loop.ended()) is None:
            progress.add(loop.update(steps[loop.step]))
            if loop.is_scored():
                progress.scoring()
                loop.take_score()
                progress.scored(loop.history)
    history = loop.history
    assert history.best is not None
    load_weights(task.model, folder.best_weights(history.best.step))
    return Fitted(history, history.last_step, len(steps), history.best.step, history.seconds, ended)


class _Loop:
    """The state of a training: model, optimizer, schedule, random numbers, history."""

    def __init__(self, task: Task, recipe: Recipe, folder: RunFolder, steps: int) -> None:
        self._task, self._recipe, self._folder, self._steps = task, recipe, folder, steps
        self._device = find_device()
        self._optimizer = torch.optim.AdamW(
            _parameter_groups(task.model, recipe.weight_decay), lr=recipe.learning_rate, fused=True
        )
        self._schedule = get_linear_schedule_with_warmup(self._optimizer, round(recipe.warmup * steps), steps)
        set_seed(recipe.seed)
        torch.empty((), dtype=torch.int64).random_()  # as the Trainer's data loader did: results with dropout are equal
        self.step = self._logged = 0
        self._loss = torch.zeros((), device=self._device)
        if folder.state is not None:
            self._restore(folder.state)
        self._started = time.monotonic() - self.history.seconds

    @property
    def history(self) -> History:
        rows = self._folder.rows
        losses = [row for row in rows if isinstance(row, Loss)]
        return History(losses, [row for row in rows if isinstance(row, Score)], self._task.chosen_by)

    @property
    def seconds(self) -> float:
        """Return the seconds of training over all starts of the run, without steps that were lost by a kill."""
        return round(time.monotonic() - self._started, 2)

    def ended(self) -> str | None:
        """Return why training ends now, or None if it goes on. It ends only after a held-out score."""
        history = self.history
        if not history.scores or history.scores[-1].step < self.step:
            return None
        if history.last_step >= self._steps:
            return "all steps done"
        if history.patience_is_over(self._recipe.patience):
            return "no better for a while"
        return "out of time" if self._is_late(history.seconds) else None

    def update(self, places: Sequence[int]) -> "Tensor":
        """Make one step on the examples with these indices, and return their mean loss."""
        task = self._task
        task.model.train()
        weight = sum(task.weights[place] for place in places)
        total = torch.zeros((), device=self._device)
        for part in sub_batches([task.lengths[place] for place in places], ROWS, self._recipe.tokens):
            with autocast(self._device):
                loss = task.loss(task.model, [places[place] for place in part]) / weight
            loss.backward()
            total += loss.detach().float()
        if not torch.isfinite(total):
            raise ModelError(f"the loss is not finite at step {self.step + 1}: a smaller learning rate?")
        torch.nn.utils.clip_grad_norm_(task.model.parameters(), MOST_NORM)
        self._optimizer.step()
        self._schedule.step()
        task.model.zero_grad()
        self.step += 1
        self._loss += total
        return total

    def is_scored(self) -> bool:
        """Return True if a held-out score is due after this step. The loss is logged first if it is due."""
        every = self._recipe.every
        is_scored = self.step % every == 0 or self.step >= self._steps or self._is_late(self.seconds)
        if is_scored or self.step % every % LOG_EVERY == 0:
            self._folder.add(Loss(self.step, self._loss.item() / (self.step - self._logged), self.seconds))
            self._loss.zero_()
            self._logged = self.step
        return is_scored

    def take_score(self) -> None:
        """Score the current weights on held-out claims, and save the training state."""
        self._folder.add(Score(self.step, score(self._task, self._device), self.seconds))
        best, weights = self.history.best, trained_weights(self._task.model)
        assert best is not None
        state = {
            "weights": weights,
            "optimizer": self._optimizer.state_dict(),
            "schedule": self._schedule.state_dict(),
            "random": torch.get_rng_state(),
            "random_cuda": torch.cuda.get_rng_state_all(),
        }
        self._folder.save(self.step, state, best, weights)

    def _restore(self, state: dict[str, Any]) -> None:
        self.step = self._logged = state["step"]
        load_weights(self._task.model, state["weights"])
        self._optimizer.load_state_dict(state["optimizer"])
        self._schedule.load_state_dict(state["schedule"])
        torch.set_rng_state(state["random"])
        torch.cuda.set_rng_state_all(state["random_cuda"])

    def _is_late(self, seconds: float) -> bool:
        return self._recipe.max_minutes is not None and seconds > 60 * self._recipe.max_minutes


def _parameter_groups(model: Any, weight_decay: float) -> list[dict[str, Any]]:
    """Return the trainable weights in two groups for AdamW: with weight decay, and biases and norms without it."""
    decayed = set(get_parameter_names(model, [torch.nn.LayerNorm], NO_DECAY))
    named = [(name, weight) for name, weight in model.named_parameters() if weight.requires_grad]
    return [
        {"params": [weight for name, weight in named if name in decayed], "weight_decay": weight_decay},
        {"params": [weight for name, weight in named if name not in decayed], "weight_decay": 0.0},
    ]


def score(task: Task, device: str) -> Scores:
    """Return the held-out scores of a task's model. Raises ModelError when one is not a number."""
    task.model.eval()
    random_state = torch.get_rng_state()
    with torch.no_grad(), autocast(device):
        scores = task.held_out(task.model)
    torch.set_rng_state(random_state)
    if any(value != value for value in scores.values()):
        raise ModelError("a held-out score is not a number")
    return scores


def final_of(task: Task) -> Final:
    """Return the final results of a task's model after training."""
    task.model.eval()
    with torch.no_grad(), autocast(find_device()):
        return task.final(task.model)


class TrainingProgress:
    """Progress of a training: a bar on a terminal, plain lines otherwise.

    The time left is estimated only from the steps since the last start.
    """

    def __init__(self, name: str, steps: int, done: int, *, quiet: bool) -> None:
        self._name, self._steps, self._quiet = name, steps, quiet
        self._step = self._first = done
        self._started = self._last_line = time.monotonic()
        on_terminal = sys.stderr.isatty() and not quiet
        self._bar = tqdm(total=steps, initial=self._step, desc=name, unit="step") if on_terminal else None

    def __enter__(self) -> Self:
        if self._step:
            self._say(f"going on after step {self._step} of {self._steps}")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.close()

    def add(self, loss: "Tensor") -> None:
        """Report one more step and its loss."""
        self._step += 1
        if self._bar is not None:
            self._bar.update()
        elif time.monotonic() - self._last_line > LINE_EVERY and self._step < self._steps:
            self._last_line = time.monotonic()
            self._say(f"step {self._step} of {self._steps}, loss {float(loss):.3f}, {self._left()}")

    def scoring(self) -> None:
        if self._bar is not None:
            self._bar.set_postfix_str("scoring held-out claims")

    def scored(self, history: History) -> None:
        """Report the last held-out score."""
        row, best = history.scores[-1], history.best
        mark = ", the best so far" if row is best else ""
        if self._bar is not None:
            self._bar.set_postfix_str("")
        values = ", ".join(f"{name} {value:.4f}" for name, value in row.scores.items())
        self._say(f"step {row.step} of {self._steps}, held out: {values}{mark}, {self._left()}")

    def _left(self) -> str:
        done = self._step - self._first
        seconds = (time.monotonic() - self._started) / max(1, done) * (self._steps - self._step)
        return f"at most {seconds / 60:.1f} minutes left"

    def _say(self, text: str) -> None:
        if self._bar is not None:
            self._bar.write(f"{self._name}: {text}", file=sys.stderr)
        else:
            say(f"{self._name}: {text}", quiet=self._quiet)
