"""A Ray cluster as the place of a job: models in actors, plain work in tasks.

The process that was started (the driver) has the claims, the journal and the order of the output. A worker gets a batch
of claims and returns its journal entries. Stores and models are not sent: each worker reads them by path, from the
folder in which the driver was started. On each node the hashes of inputs, code and model files are compared with the
driver's. A node where they differ, or where a model cannot be loaded, is left out, with a note. Batches of workers that
end are tried again (`in_flight.py`).

Limitations: all nodes need the project's folder at the same path. No Ray Client (`ray://`), which Ray does not
recommend for long runs. If the head of the cluster is lost, the run ends; the same command goes on from the journal.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

import msgspec

from src.runner.cluster.actors import Actors
from src.runner.cluster.connection import connect
from src.runner.cluster.in_flight import LOSSES, InFlight, WorkerLostError
from src.runner.cluster.nodes import Nodes
from src.runner.cluster.on_node import DriverFiles
from src.runner.cluster.tasks import Tasks
from src.runner.console import how_many, say
from src.runner.engine import Engine
from src.runner.fingerprint import InputFile
from src.runner.journal import Entry
from src.runner.manifest import source_hash
from src.runner.outcome import HasClaimId
from src.runner.output import Failure
from src.runner.place import Work
from src.settings import ClusterSettings

In = TypeVar("In", bound=HasClaimId)
Out = TypeVar("Out")


class RayCluster(Generic[In, Out]):
    """A Ray cluster that computes one job.

    `inputs`: input files of the job and files of its models, with their hashes.
    `batches`: number of batches of the job.
    `in_actors`: batches go to actors, which keep their models; otherwise to tasks, one for each processor core.

    Raises InputError for an address of the Ray Client and for a cluster without a fitting node, NetworkError when no
    cluster answers.
    """

    def __init__(
        self,
        work: Work[In, Out],
        settings: ClusterSettings,
        inputs: Mapping[str, InputFile],
        batches: int,
        *,
        in_actors: bool,
        quiet: bool,
    ) -> None:
        self._work = work
        dashboard = connect(settings.address, quiet=quiet)
        cpus, gpus = (settings.actor_cpus, settings.actor_gpus) if in_actors else (1, 0)
        nodes = Nodes(cpus, gpus, DriverFiles(os.getcwd(), inputs, source_hash()), quiet=quiet)
        say(f"{work.step.rpartition('.')[2]}: on {nodes.summary()}{dashboard}", quiet=quiet)
        most = min(settings.num_actors or batches, batches)
        self._workers: Actors[In] | Tasks[In] = Actors(work, nodes, most) if in_actors else Tasks(work, nodes, most)
        self._in_flight = InFlight(self._workers, self._given_up)

    def start(self) -> Engine[In, Out]:
        """Return the engine of the first worker that is ready. Its `work` cannot be called here."""
        return self._workers.engine()

    def entries(self, batches: Iterable[Sequence[In]]) -> Iterator[list[Entry]]:
        for entries in self._in_flight.results(batches):
            yield entries or []

    def status(self) -> str:
        return self._workers.status()

    def notes(self) -> list[str]:
        if not self._in_flight.split:
            return []
        split = how_many(self._in_flight.split, "batch was split", "batches were split")
        return [f"{split} after {LOSSES} lost workers; its claims were computed one by one: last digits may differ"]

    def close(self) -> None:
        self._workers.close()

    def _given_up(self, claim: In, reason: str) -> list[Entry]:
        failure = Failure(claim.claim_id, self._work.step, WorkerLostError.__name__, reason, "")
        record = self._work.encode(self._work.without_result(claim))
        return [Entry(claim.claim_id, msgspec.Raw(record), failure=failure)]
