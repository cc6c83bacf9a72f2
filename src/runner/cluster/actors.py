"""Actors: workers of the cluster that load the models of a job once."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from src.errors import FatalError
from src.runner.cluster.calls import answer_of, finished
from src.runner.cluster.flight import AHEAD, LOSSES, Lost, Trip
from src.runner.cluster.nodes import Nodes
from src.runner.cluster.on_node import Outfit, Ready, Unfit, Worker
from src.runner.cluster.ray_api import ray
from src.runner.console import how_many
from src.runner.engine import Engine
from src.runner.journal import Entry
from src.runner.manifest import plain_model, same_model
from src.runner.outcome import HasClaimId

In = TypeVar("In", bound=HasClaimId)
SLOW_START = 10.0  # seconds without a ready worker, after which a line says so


@dataclass(eq=False)
class _Seat:
    """An actor. `node`: where it is ready; "" while it starts.

    `load`: number of batches that it has. `is_alone`: its batch was lost before, and gets no second one beside it.
    """

    actor: Any
    node: str = ""
    load: int = 0
    is_alone: bool = False


class Actors(Generic[In]):
    """Actors that keep their models; an actor that has ended is replaced by a new one."""

    def __init__(self, outfit: Outfit[In, Any], nodes: Nodes, most: int) -> None:
        self._nodes, self._most = nodes, most
        self._shared = ray.put(outfit)
        self._engine: Engine[In, Any] | None = None
        self._seats: list[_Seat] = []
        self._calls: dict[ray.ObjectRef[Any], tuple[_Seat, Trip[In] | None]] = {}  # None: the start of the actor
        self._lost_starts = 0

    def engine(self) -> Engine[In, Any]:
        began, is_reported = time.monotonic(), False
        while self._engine is None:
            self.landed()
            if not is_reported and time.monotonic() - began > SLOW_START:
                is_reported = True
                self._nodes.say(f"waiting for a worker of the Ray cluster: {len(self._seats)} are starting")
        return self._engine

    def send(self, trip: Trip[In]) -> bool:
        most = 1 if trip.losses else AHEAD
        free = [seat for seat in self._seats if seat.node and seat.load < most and not seat.is_alone]
        if not free:
            return False
        seat = min(free, key=lambda one: one.load)
        seat.load, seat.is_alone = seat.load + 1, trip.losses > 0
        self._calls[seat.actor.compute.remote(trip.batch)] = (seat, trip)
        return True

    def landed(self) -> list[tuple[Trip[In], list[Entry] | Lost]]:
        self._hire()
        results: list[tuple[Trip[In], list[Entry] | Lost]] = []
        for call in finished(self._calls):
            seat, trip = self._calls.pop(call)
            answer = answer_of(call)
            if trip is None:
                self._started(seat, answer)
                continue
            seat.load, seat.is_alone = seat.load - 1, False
            if isinstance(answer, Lost):
                self._dismiss(seat)
            results.append((trip, answer))
        return results

    def new_actor(self, needs: Mapping[str, Any]) -> Any:
        """Return the handle of a new actor. `needs`: its options in Ray."""
        worker: Any = Worker
        return worker.options(**needs).remote([self._shared])

    def end_actor(self, actor: Any) -> None:
        """End an actor at once."""
        ray.kill(actor)

    def _hire(self) -> None:
        """Start actors, as many as fit the cluster and are wanted."""
        while len(self._seats) < min(self._nodes.room(), self._most):
            seat = _Seat(self.new_actor(self._nodes.needs()))
            self._seats.append(seat)
            self._calls[seat.actor.start.remote()] = (seat, None)

    def _dismiss(self, seat: _Seat) -> None:
        if seat in self._seats:
            self._seats.remove(seat)
            self.end_actor(seat.actor)

    def _started(self, seat: _Seat, answer: Any) -> None:
        """Note an actor that is ready; replace one that is not."""
        if isinstance(answer, Ready):
            first = self._engine or answer.engine
            if same_model(plain_model(first.model), plain_model(answer.engine.model)):
                self._engine, seat.node, self._lost_starts = first, answer.node, 0
                return
            answer = Unfit(answer.node, "its model is another one than that of the first worker")
        self._dismiss(seat)
        if isinstance(answer, Unfit):
            self._nodes.leave_out(answer)
            return
        self._lost_starts += 1
        if self._lost_starts > LOSSES * (len(self._seats) + 1):
            raise FatalError(f"workers of the Ray cluster end while they start: {answer.reason}")

    def status(self) -> str:
        ready = [seat for seat in self._seats if seat.node]
        flying = sum(trip is not None for _, trip in self._calls.values())
        where = how_many(len({seat.node for seat in ready}), "node")
        return f"{how_many(len(ready), 'worker')} on {where}, {how_many(flying, 'batch', 'batches')} in flight"

    def close(self) -> None:
        for seat in list(self._seats):
            self._dismiss(seat)
