"""Batches in flight: a few ahead of the results, each tried again when the worker that had it is lost.

`fly` knows no cluster. A Fleet hands batches to workers, and returns what they have finished, in any order.

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
IN_A_ROW = 10  # claims that may fail in this way without a success in between

In = TypeVar("In")
Out = TypeVar("Out")


@dataclass(frozen=True)
class Trip(Generic[In]):
    """A batch on its way to a worker. `losses`: how often a worker ended before it had finished the batch."""

    batch: Sequence[In]
    losses: int = 0


@dataclass(frozen=True)
class Lost:
    """Result of a batch whose worker has ended. `reason`: one line for the user."""

    reason: str


class Fleet(Protocol[In, Out]):
    """Workers that compute batches."""

    def send(self, trip: Trip[In]) -> bool:
        """Send a batch to a worker, or return False if none has room now.

        A batch that was lost before goes to a worker that has nothing else, so that no other batch is lost with it.
        """

    def landed(self) -> list[tuple[Trip[In], Out | Lost]]:
        """Wait a little for a batch to be finished, and return all that are, with their results."""


def fly(
    fleet: Fleet[In, Out], batches: Iterable[Sequence[In]], without_result: Callable[[In, str], Out]
) -> Iterator[Out]:
    """Yield the result of each batch, in order of completion.

    `without_result`: function from a claim that no worker survives, and the reason, to its result.

    Raises FatalError when no worker survives claim after claim, so that the claims cannot be at fault.
    """
    ahead, again = map(Trip[In], batches), deque[Trip[In]]()
    flying = given_up = 0
    while True:
        while (trip := again.popleft() if again else next(ahead, None)) is not None:
            if not fleet.send(trip):
                again.appendleft(trip)
                break
            flying += 1
        if not flying and not again:
            return
        for trip, result in fleet.landed():
            flying -= 1
            if not isinstance(result, Lost):
                given_up = 0
                yield result
                continue
            if trip.losses + 1 < LOSSES:
                again.append(Trip(trip.batch, trip.losses + 1))
            elif len(trip.batch) > 1:
                again.extend(Trip([claim], losses=1) for claim in trip.batch)
            else:
                given_up += 1
                if given_up > IN_A_ROW:
                    raise FatalError(f"workers end one after another: {result.reason}; what was finished is kept")
                yield without_result(trip.batch[0], f"its worker ended {LOSSES} times: {result.reason}")
