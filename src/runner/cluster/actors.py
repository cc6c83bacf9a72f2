"""Actors: workers of the cluster that load the models of a job once."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from src.runner.cluster.calls import answer_of, finished_calls
from src.runner.cluster.in_flight import AHEAD, Batch, Lost
from src.runner.cluster.lost_starts import LostStarts, StartedActor
from src.runner.cluster.nodes import Nodes
from src.runner.cluster.on_node import JobRefs, UnusableNode, Worker
from src.runner.cluster.ray_api import ray
from src.runner.console import how_many
from src.runner.engine import Engine
from src.runner.journal import Entry
from src.runner.manifest import plain_model, same_model
from src.runner.outcome import HasClaimId
from src.runner.place import Work

In = TypeVar("In", bound=HasClaimId)


@dataclass(eq=False)
class _Slot(StartedActor):
    """An actor. `is_ready`: its models are loaded.

    `load`: number of batches that it has. `is_alone`: its batch was lost before, and gets no second one beside it.
    """

    is_ready: bool = False
    load: int = 0
    is_alone: bool = False


class Actors(Generic[In]):
    """Actors that keep their models; an actor that has ended is replaced by a new one. `most`: number of actors."""

    def __init__(self, work: Work[In, Any], nodes: Nodes, most: int) -> None:
        self._nodes = nodes
        self._work = ray.put(work)
        self._engine: Engine[In, Any] | None = None
        self._slots: list[_Slot] = []
        self._calls: dict[ray.ObjectRef[Any], tuple[_Slot, Batch[In] | None]] = {}  # None: the actor starts
        self._lost_starts = LostStarts(nodes, most)

    def engine(self) -> Engine[In, Any]:
        with self._nodes.waiting("a worker of the Ray cluster that has loaded its model"):
            while self._engine is None:
                self.finished()
        return self._engine

    def send(self, batch: Batch[In]) -> bool:
        most = 1 if batch.losses else AHEAD
        free = [slot for slot in self._ready() if slot.load < most and not slot.is_alone]
        if not free:
            return False
        slot = min(free, key=lambda one: one.load)
        slot.load, slot.is_alone = slot.load + 1, batch.losses > 0
        self._calls[slot.actor.compute.remote(batch.claims)] = (slot, batch)
        return True

    def finished(self) -> list[tuple[Batch[In], list[Entry] | Lost]]:
        self._start_actors()
        results: list[tuple[Batch[In], list[Entry] | Lost]] = []
        for call in finished_calls(self._calls):
            slot, batch = self._calls.pop(call)
            answer = answer_of(call)
            if batch is None:
                self._started(slot, answer)
                continue
            slot.load, slot.is_alone = slot.load - 1, False
            if isinstance(answer, Lost):
                self._stop(slot)
            results.append((batch, answer))
        return results

    def new_actor(self, needs: Mapping[str, Any]) -> Any:
        """Return the handle of a new actor. `needs`: its options in Ray."""
        worker: Any = Worker
        return worker.options(**needs).remote(JobRefs(self._nodes.files(), self._work))

    def end_actor(self, actor: Any) -> None:
        """End an actor at once."""
        ray.kill(actor)

    def _start_actors(self) -> None:
        """Start actors, as many as fit the cluster and are wanted."""
        while len(self._slots) < min(self._nodes.room(), self._lost_starts.most):
            slot = _Slot(self.new_actor(self._nodes.needs()))
            self._slots.append(slot)
            self._calls[slot.actor.node.remote()] = (slot, None)

    def _stop(self, slot: _Slot) -> None:
        if slot in self._slots:
            self._slots.remove(slot)
            self.end_actor(slot.actor)

    def _started(self, slot: _Slot, answer: Any) -> None:
        """Go on with the start of an actor: its node is known, or it is ready. Replace one that cannot be used."""
        if isinstance(answer, str):
            slot.node = answer
            self._calls[slot.actor.start.remote()] = (slot, None)
            return
        if isinstance(answer, Engine):
            self._engine = self._engine or answer
            if same_model(plain_model(self._engine.model), plain_model(answer.model)):
                slot.is_ready = True
                self._lost_starts.note_ready(slot.node)
                return
            answer = UnusableNode(slot.node, "its model is another one than that of the first worker")
        self._stop(slot)
        if isinstance(answer, UnusableNode):
            self._nodes.leave_out(answer)
        else:
            self._lost_starts.note_lost(slot, answer.reason, [one.node for one in self._ready()])

    def _ready(self) -> list[_Slot]:
        return [slot for slot in self._slots if slot.is_ready]

    def status(self) -> str:
        ready = self._ready()
        in_flight = sum(batch is not None for _, batch in self._calls.values())
        where = how_many(len({slot.node for slot in ready}), "node")
        return f"{how_many(len(ready), 'worker')} on {where}, {how_many(in_flight, 'batch', 'batches')} in flight"

    def close(self) -> None:
        for slot in list(self._slots):
            self._stop(slot)
