"""Batches in flight: a few ahead of the results, each tried again when the worker that had it is lost.

This module does not use Ray. Workers take batches, and return what they have finished, in any order.

Limitations: a batch that is lost again and again is split, so that one claim that no worker survives fails alone. The
claims of a split batch are computed one by one, as after an error.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from src.errors import FatalError

AHEAD = 2  # batches per worker: one in progress, one waiting
LOSSES = 4  # of a batch before it is split, and of a claim before it fails
LOSSES_OF_SPLIT = 2 * LOSSES - 1  # of a claim of a split batch: the last one in the batch counts as its first alone
IN_A_ROW = 10  # claims that may fail in this way without a success in between

In = TypeVar("In")
Out = TypeVar("Out")


class WorkerLostError(Exception):
    """Error of a claim or a question whose workers ended again and again; the message has the reason."""


@dataclass(frozen=True)
class Batch(Generic[In]):
    """Claims that a worker computes together.

    `losses`: how often a worker ended before it had finished them. `most`: losses after which they are given up.
    """

    claims: Sequence[In]
    losses: int = 0
    most: int = LOSSES


@dataclass(frozen=True)
class Lost:
    """Result of a batch whose worker has ended. `reason`: one line for the user."""

    reason: str


class BatchWorkers(Protocol[In, Out]):
    """Workers that compute batches."""

    def send(self, batch: Batch[In]) -> bool:
        """Send a batch to a worker, or return False if none has room now.

        A batch that was lost before goes to a worker that has nothing else, so that no other batch is lost with it.
        """

    def finished(self) -> list[tuple[Batch[In], Out | Lost]]:
        """Wait about a second for a batch to be finished, and return all that are, with their results."""


class InFlight(Generic[In, Out]):
    """The batches of a job, computed by `workers`.

    `without_result`: function from a claim that no worker survives, and the reason, to its result.
    `split` (attribute): number of batches that were split.
    """

    def __init__(self, workers: BatchWorkers[In, Out], without_result: Callable[[In, str], Out]) -> None:
        self.split = 0
        self._workers, self._without_result = workers, without_result
        self._again = deque[Batch[In]]()
        self._given_up = 0  # claims in a row

    def results(self, batches: Iterable[Sequence[In]]) -> Iterator[Out | None]:
        """Yield the result of each batch, in order of completion; None after each second without one.

        Raises FatalError when no worker survives claim after claim, so that the claims cannot be at fault.
        """
        ahead, sent = map(Batch[In], batches), 0
        while True:
            while (batch := self._again.popleft() if self._again else next(ahead, None)) is not None:
                if not self._workers.send(batch):
                    self._again.appendleft(batch)
                    break
                sent += 1
            if not sent and not self._again:
                return
            finished = self._workers.finished()
            sent -= len(finished)
            if not finished:
                yield None
            for batch, result in finished:
                if not isinstance(result, Lost):
                    self._given_up = 0
                    yield result
                else:
                    yield from self._lost(batch, result.reason)

    def _lost(self, batch: Batch[In], reason: str) -> Iterator[Out]:
        """Have a lost batch tried again, split it, or yield the result of a claim that is given up."""
        losses = batch.losses + 1
        if losses < batch.most:
            self._again.append(Batch(batch.claims, losses, batch.most))
        elif len(batch.claims) > 1:
            self.split += 1
            self._again.extend(Batch([claim], losses, LOSSES_OF_SPLIT) for claim in batch.claims)
        else:
            self._given_up += 1
            if self._given_up > IN_A_ROW:
                raise FatalError(f"workers end one after another: {reason}; what was finished is kept")
            yield self._without_result(batch.claims[0], f"its worker ended {losses} times: {reason}")
