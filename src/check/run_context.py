"""Who waits for a check: what is told while it works, how long its stages took, whether it is still wanted."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from src.check.records import Stage, Told
from src.errors import Cancelled

Tell = Callable[[Told], None]
TOTAL = "total"  # beside the stages, in `seconds`


class Watch:
    """`seconds` has those of each stage that ended, in their order."""

    def __init__(self, tell: Tell, is_cancelled: Callable[[], bool]) -> None:
        self.tell, self.is_cancelled = tell, is_cancelled
        self.seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, stage: Stage) -> Iterator[None]:
        """Tells of its begin. Raises Cancelled."""
        self.go_on()
        self.tell(Told(stage))
        began = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[stage.value] = round(time.perf_counter() - began, 2)

    def go_on(self) -> None:
        """Raises Cancelled where the check is not wanted any more."""
        if self.is_cancelled():
            raise Cancelled("the check was cancelled")

    def counting(self, stage: Stage, total: int) -> Callable[[int], None]:
        """Called with how many parts more are done: tells of them. It raises Cancelled."""
        done = 0

        def more(number: int) -> None:
            nonlocal done
            self.go_on()
            if number:
                done += number
                self.tell(Told(stage, done, total))

        return more
