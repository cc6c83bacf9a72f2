"""Tasks: batches of a job without a model, on any core of the cluster."""

from typing import Any, Generic, TypeVar

from src.runner.cluster.calls import answer_of, finished
from src.runner.cluster.flight import AHEAD, Lost, Trip
from src.runner.cluster.nodes import Nodes
from src.runner.cluster.on_node import Outfit, Unfit, computed
from src.runner.cluster.ray_api import ray
from src.runner.console import how_many
from src.runner.engine import Engine
from src.runner.journal import Entry
from src.runner.outcome import HasClaimId

In = TypeVar("In", bound=HasClaimId)


class Tasks(Generic[In]):
    """Tasks without a model: each core of the cluster takes batches."""

    def __init__(self, outfit: Outfit[In, Any], nodes: Nodes, most: int) -> None:
        self._outfit, self._nodes, self._most = outfit, nodes, most
        self._shared = ray.put(outfit)
        self._flights: dict[ray.ObjectRef[Any], Trip[In]] = {}

    def engine(self) -> Engine[In, Any]:
        return self._outfit.work.start()

    def send(self, trip: Trip[In]) -> bool:
        if len(self._flights) >= min(self._most, AHEAD * max(1, self._nodes.room())):
            return False
        self._dispatch(trip)
        return True

    def _dispatch(self, trip: Trip[In]) -> None:
        self._flights[computed.options(**self._nodes.needs()).remote([self._shared], trip.batch)] = trip

    def landed(self) -> list[tuple[Trip[In], list[Entry] | Lost]]:
        results: list[tuple[Trip[In], list[Entry] | Lost]] = []
        for call in finished(self._flights):
            trip, answer = self._flights.pop(call), answer_of(call)
            if isinstance(answer, Unfit):
                self._nodes.leave_out(answer)
                self._dispatch(trip)  # to another node
            else:
                results.append((trip, answer))
        return results

    def status(self) -> str:
        return f"{how_many(len(self._flights), 'batch', 'batches')} in flight"

    def close(self) -> None:
        for call in self._flights:
            ray.cancel(call, force=True)
