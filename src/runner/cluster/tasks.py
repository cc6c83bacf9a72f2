"""Tasks: batches of a job without a model, on any core of the cluster."""

from typing import Any, Generic, TypeVar

from src.runner.cluster.calls import NotLoaded, answer_of, finished_calls
from src.runner.cluster.in_flight import AHEAD, Batch, Lost
from src.runner.cluster.nodes import Nodes
from src.runner.cluster.on_node import JobRefs, UnusableNode, compute_batch
from src.runner.cluster.ray_api import ray
from src.runner.console import how_many
from src.runner.engine import Engine
from src.runner.journal import Entry
from src.runner.outcome import HasClaimId
from src.runner.place import Work

In = TypeVar("In", bound=HasClaimId)


class Tasks(Generic[In]):
    """Tasks without a model: each core of the cluster takes batches. `most`: number of batches in flight."""

    def __init__(self, work: Work[In, Any], nodes: Nodes, most: int) -> None:
        self._work, self._nodes, self._most = work, nodes, most
        self._shared = ray.put(work)
        self._calls: dict[ray.ObjectRef[Any], Batch[In]] = {}

    def engine(self) -> Engine[In, Any]:
        return self._work.start()

    def send(self, batch: Batch[In]) -> bool:
        if len(self._calls) >= min(self._most, AHEAD * max(1, self._nodes.room())):
            return False
        self._call(batch)
        return True

    def _call(self, batch: Batch[In]) -> None:
        refs = JobRefs(self._nodes.files(), self._shared)
        self._calls[compute_batch.options(**self._nodes.needs()).remote(refs, batch.claims)] = batch

    def finished(self) -> list[tuple[Batch[In], list[Entry] | Lost]]:
        self._nodes.room()  # looks for nodes that have joined or are lost
        results: list[tuple[Batch[In], list[Entry] | Lost]] = []
        for call in finished_calls(self._calls):
            batch, answer = self._calls.pop(call), answer_of(call)
            if isinstance(answer, UnusableNode):
                self._nodes.leave_out(answer)
                self._call(batch)  # on another node
            elif isinstance(answer, NotLoaded) and self._nodes.is_comparing():
                self._call(batch)  # no loss of the batch: the comparison will leave that node out
            else:
                results.append((batch, answer))
        return results

    def status(self) -> str:
        workers = how_many(min(self._most, self._nodes.room()), "worker")
        return f"{workers}, {how_many(len(self._calls), 'batch', 'batches')} in flight"

    def close(self) -> None:
        for call in self._calls:
            ray.cancel(call, force=True)
