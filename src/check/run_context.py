"""Progress reporting, timing and cancellation of a running check."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from src.check.records import ProgressEvent, Stage
from src.errors import Cancelled

Tell = Callable[[ProgressEvent], None]
TOTAL = "total"  # beside the stages, in `seconds`


class RunContext:
    """Context of a running check. `seconds` has the seconds of each finished stage, in order."""

    def __init__(self, tell: Tell, is_cancelled: Callable[[], bool]) -> None:
        self.tell, self.is_cancelled = tell, is_cancelled
        self.seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, stage: Stage) -> Iterator[None]:
        """Report that the stage begins, and record its seconds at the end. Raises Cancelled after a cancellation."""
        self.go_on()
        self.tell(ProgressEvent(stage))
        began = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[stage.value] = round(time.perf_counter() - began, 2)

    def go_on(self) -> None:
        """Raise Cancelled if the check was cancelled."""
        if self.is_cancelled():
            raise Cancelled("the check was cancelled")

    def counting(self, stage: Stage, total: int) -> Callable[[int], None]:
        """Return a function that reports how many more parts are done. It raises Cancelled after a cancellation."""
        done = 0

        def more(number: int) -> None:
            nonlocal done
            self.go_on()
            if number:
                done += number
                self.tell(ProgressEvent(stage, done, total))

        return more
