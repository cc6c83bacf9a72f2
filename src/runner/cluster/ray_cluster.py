"""A Ray cluster as the place of a job: models in actors, plain work in tasks.

The process that was started (the driver) has the claims, the journal and the order of the output. A worker gets a batch
of claims and returns its journal entries. Stores and models are not sent: each worker reads them by path, from the
folder in which the driver was started. It first compares the hashes of inputs, code and model with the driver's; a node
where they differ is left out, with a note. Batches of workers that end are tried again (`flight.py`).

Limitations: all nodes need the project's folder at the same path. No Ray Client (`ray://`), which Ray does not
recommend for long runs. If the head of the cluster is lost, the run ends; the same command goes on from the journal.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

import msgspec

from src.runner.cluster.actors import Actors
from src.runner.cluster.connection import connect
from src.runner.cluster.flight import fly
from src.runner.cluster.nodes import Nodes
from src.runner.cluster.on_node import DriverFiles, Outfit
from src.runner.cluster.tasks import Tasks
from src.runner.console import say
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

    `inputs`: input files of the job with their hashes.
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
        dashboard = connect(settings.address)
        outfit = Outfit(work, DriverFiles(os.getcwd(), inputs, source_hash()))
        nodes = Nodes(settings.actor_cpus, settings.actor_gpus, quiet) if in_actors else Nodes(1, 0, quiet)
        nodes.check(outfit.files)
        say(f"{work.step.rpartition('.')[2]}: on {nodes.summary()}{dashboard}", quiet=quiet)
        most = settings.num_actors or batches
        self._fleet: Actors[In] | Tasks[In] = (
            Actors(outfit, nodes, min(most, batches)) if in_actors else Tasks(outfit, nodes, most)
        )

    def start(self) -> Engine[In, Out]:
        """Return the engine of the first worker that is ready. Its `work` cannot be called here."""
        return self._fleet.engine()

    def entries(self, batches: Iterable[Sequence[In]]) -> Iterator[list[Entry]]:
        """Yield the journal entries of each batch, in any order. Raises FatalError."""
        yield from fly(self._fleet, batches, self._given_up)

    def status(self) -> str:
        return self._fleet.status()

    def close(self) -> None:
        self._fleet.close()

    def _given_up(self, claim: In, reason: str) -> list[Entry]:
        failure = Failure(claim.claim_id, self._work.step, "WorkerLost", reason, "")
        record = self._work.encode(self._work.without_result(claim))
        return [Entry(claim.claim_id, msgspec.Raw(record), failure=failure)]
