"""Progress reporting, timing and cancellation of a running check, and the printer of its progress on stderr."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from types import TracebackType
from typing import Self

from tqdm import tqdm

from src.check.loading import Loading
from src.check.records import ProgressEvent, Stage
from src.errors import Cancelled
from src.free_memory import trim
from src.runner.console import printable, say_error

Tell = Callable[[ProgressEvent], None]
TOTAL = "total"  # key of the total time, beside the stages


class RunContext:
    """Progress, timing and cancellation of a running check.

    `tell`: function that takes each progress event.
    `is_cancelled`: function that returns True once the caller has cancelled the check.
    `seconds`: seconds of each finished stage, in order of their beginning.
    `loading`: models that are being loaded; None if they are loaded on first use.
    """

    def __init__(self, tell: Tell, is_cancelled: Callable[[], bool]) -> None:
        self.tell, self.is_cancelled = tell, is_cancelled
        self.seconds: dict[str, float] = {}
        self.loading: Loading | None = None
        self._told = (0, 0)  # models that were loaded, and all, in the last report

    @contextmanager
    def stage(self, stage: Stage) -> Iterator[None]:
        """Report the beginning of the stage; at its end, record its seconds and give freed memory back.

        Raises Cancelled if the check was cancelled.
        """
        self.go_on()
        self.tell(ProgressEvent(stage))
        began = time.perf_counter()
        try:
            yield
        finally:
            trim()  # before the next stage needs as much again
            spent = self.seconds.get(stage.value, 0.0) + time.perf_counter() - began
            self.seconds[stage.value] = round(spent, 2)

    def wait_for(self, *models: str) -> None:
        """Wait until these models are loaded. Raises what their loading raised, and Cancelled if the check was
        cancelled.
        """
        if self.loading is None:
            return
        for model in models:
            with nullcontext() if self.loading.is_loaded(model) else self.stage(Stage.MODELS):
                self.loading.wait(model, partial(self._loading, model))

    def _loading(self, model: str) -> None:
        """Go on waiting for a model; report when another one is loaded."""
        self.go_on()
        assert self.loading is not None
        if self.loading.loaded != self._told:
            self._told = self.loading.loaded
            self.tell(ProgressEvent(Stage.MODELS, *self.loading.loaded, model))

    def go_on(self) -> None:
        """Raise Cancelled if the check was cancelled, and the error of a model that could not be loaded."""
        if self.is_cancelled():
            raise Cancelled("the check was cancelled")
        if self.loading is not None:
            self.loading.go_on()

    def counting(self, stage: Stage, total: int) -> Callable[[int], None]:
        """Return a function that takes the number of newly finished parts and reports how many of `total` are done.

        The function raises Cancelled if the check was cancelled.
        """
        done = 0

        def more(number: int) -> None:
            nonlocal done
            self.go_on()
            if number:
                done += number
                self.tell(ProgressEvent(stage, done, total))

        return more


class Lines:
    """Printer of progress on stderr: `with Lines(quiet=False) as lines: check_claim(request, tell=lines.tell)`."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._bar = tqdm(bar_format="{desc}", leave=False) if sys.stderr.isatty() and not quiet else None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.close()

    def say(self, text: str) -> None:
        """Print a line of its own."""
        if not self._quiet:
            tqdm.write(printable(f"check: {text}"), file=sys.stderr)

    def tell(self, event: ProgressEvent) -> None:
        """Show the event: on a terminal in one line that is overwritten, else a line at the beginning of each stage."""
        count = f" {event.done} of {event.total}" if event.total else ""
        if self._bar is not None:
            self._bar.set_description_str(printable(f"check: {event.stage}{count} {event.text[:60]}"))
        elif not self._quiet and not event.done and not event.text:
            say_error(f"check: {event.stage}")
