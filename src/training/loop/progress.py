"""Progress reporting of a training: a progress bar on a terminal, plain lines otherwise."""

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from tqdm import tqdm

from src.runner.console import LINE_EVERY, say
from src.training.loop.history import History

if TYPE_CHECKING:
    from torch import Tensor


class TrainingProgress:
    """The progress of a training. The time left is estimated only from the steps since the last start."""

    def __init__(self, name: str, steps: int, done: History, *, quiet: bool) -> None:
        self._name, self._steps, self._quiet = name, steps, quiet
        self._step, self._first = done.last_step, done.last_step
        self._started = self._spoken = time.monotonic()
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
        elif time.monotonic() - self._spoken > LINE_EVERY and self._step < self._steps:
            self._spoken = time.monotonic()
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
