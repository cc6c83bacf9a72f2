"""Where a job is computed: on this machine, or on a Ray cluster."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Generic, Protocol, TypeVar

from src.runner.engine import Attempt, Engine
from src.runner.journal import Entry
from src.runner.outcome import HasClaimId
from src.runner.workers import in_workers

In = TypeVar("In", bound=HasClaimId)
Out = TypeVar("Out")


@dataclass(frozen=True)
class Work(Generic[In, Out]):
    """What a place computes: the parts of a Job that another process needs.

    `step`: module name of the step.
    `start`: function that loads the models and returns the engine.
    `encode`: function from a record to its JSON.
    `without_result`: function from a failed claim to its record.
    """

    step: str
    start: Callable[[], Engine[In, Out]]
    encode: Callable[[Out], bytes]
    without_result: Callable[[In], Out]

    def attempt(self, engine: Engine[In, Out]) -> Attempt[In, Out]:
        """Return the function from a batch of claims to their journal entries."""
        return Attempt(self.step, engine.work, self.encode, self.without_result)


class Place(Protocol[In, Out]):
    """A place that computes the batches of one job."""

    def start(self) -> Engine[In, Out]:
        """Load the models and return the engine; that of a cluster describes itself, and has no `work`."""

    def entries(self, batches: Iterable[Sequence[In]]) -> Iterable[list[Entry]]:
        """Yield the journal entries of each batch, in any order; [] where a while passes without a batch.

        Raises FatalError.
        """

    def status(self) -> str:
        """Return what is at work, for the progress display; "" if there is nothing to say."""

    def notes(self) -> Sequence[str]:
        """Return remarks on how the batches were computed, for the manifest. Called when all are computed."""

    def close(self) -> None:
        """End all workers."""


class ThisMachine(Generic[In, Out]):
    """This process, or `workers` processes of this machine. With several, `work` must be picklable."""

    def __init__(self, work: Work[In, Out], workers: int) -> None:
        self._work, self._workers = work, workers

    def start(self) -> Engine[In, Out]:
        self._engine = self._work.start()
        return self._engine

    def entries(self, batches: Iterable[Sequence[In]]) -> Iterable[list[Entry]]:
        attempt, left = self._work.attempt(self._engine), iter(batches)
        first = list(islice(left, self._workers))
        batches = chain(first, left)
        return map(attempt, batches) if len(first) < 2 else in_workers(attempt, batches, len(first))

    def status(self) -> str:
        return ""

    def notes(self) -> Sequence[str]:
        return ()

    def close(self) -> None:
        """Do nothing: worker processes end with their results."""
