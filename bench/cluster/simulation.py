"""One simulated run: the driver of a job with many workers that sleep instead of computing.

    python -m bench.cluster.simulation --workers 512 --claims 100000 --batch 10 --seconds 0.1

Everything of the driver is real: batches, Ray's calls and results, journal, progress, output. The workers are
coroutines in a few actors, because 512 processes do not fit one machine; each sleeps for the seconds of its batch and
returns the entries that a step would return. Prints one line of JSON.

Limitations: the workers are on the driver's machine and share its cores, so that the network costs nothing. Real
workers also load their models, which takes each of them some seconds.
"""

import argparse
import asyncio
import os
import resource
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from bench.command import positive
from src.runner.cluster.actors import Actors
from src.runner.cluster.connection import AUTO, connect
from src.runner.cluster.in_flight import InFlight
from src.runner.cluster.nodes import Nodes
from src.runner.cluster.on_node import DriverFiles
from src.runner.cluster.ray_api import ray
from src.runner.engine import Attempt, Engine
from src.runner.job import Job, run
from src.runner.journal import Entry, progress_path
from src.runner.manifest import source_hash
from src.runner.outcome import Outcome
from src.runner.place import Work
from src.settings import JobSettings

STEP = "bench.cluster.simulation"
AT_ONCE = 256  # simulated workers in one actor process
RESULTS_MEMORY = 256 * 1024 * 1024  # bytes of shared memory


class Item(msgspec.Struct, frozen=True):
    """A claim or a result, of the size of a verdict with its scores."""

    claim_id: int
    text: str = ""


class Measured(msgspec.Struct, frozen=True):
    """Measurements of one run.

    `workers`, `claims`, `batch`: numbers. `seconds`: of a claim in a worker.
    `wall`: seconds from the first batch to the last. `ideal`: the same without any overhead.
    `cpu`: processor seconds of the driver in that time.
    `start`: seconds until the workers were ready.
    `memory`: growth of the driver's memory during the run at its peak, in bytes.
    `journal`: size of the journal before it was removed, in bytes.
    """

    workers: int
    claims: int
    batch: int
    seconds: float
    wall: float
    ideal: float
    cpu: float
    start: float
    memory: int
    journal: int


@ray.remote(num_cpus=0)
class Sleeper:
    """Many simulated workers in one process."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._attempt = Attempt(STEP, _results, msgspec.json.encode, _without_result)
        self._workers: defaultdict[int, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def node(self) -> str:
        return "node"

    async def start(self) -> Engine[Item, Item]:
        return Engine(work=_results)

    async def compute(self, worker: int, batch: Sequence[Item]) -> list[Entry]:
        async with self._workers[worker]:
            await asyncio.sleep(self._seconds * len(batch))
        return self._attempt(batch)


class Compute:
    """Method `compute` of one simulated worker. `process`: its actor."""

    def __init__(self, process: Any, worker: int) -> None:
        self._process, self._worker = process, worker

    def remote(self, batch: Sequence[Item]) -> Any:
        return self._process.compute.remote(self._worker, batch)


class SimulatedWorker:
    """Handle of a simulated worker, in place of the handle of an actor."""

    def __init__(self, process: Any, worker: int) -> None:
        self.node, self.start, self.compute = process.node, process.start, Compute(process, worker)


def _results(batch: Sequence[Item]) -> list[Outcome[Item]]:
    return [Outcome(Item(item.claim_id, "x" * 500), {"prompts": 1}) for item in batch]


def _without_result(item: Item) -> Item:
    return item


class SimulatedActors(Actors[Item]):
    """Actors that are coroutines of a few processes."""

    def __init__(self, work: Work[Item, Any], nodes: Nodes, workers: int, seconds: float) -> None:
        super().__init__(work, nodes, workers)
        sleeper: Any = Sleeper
        processes = -(-workers // AT_ONCE)
        self._processes = [sleeper.options(max_concurrency=4 * AT_ONCE).remote(seconds) for _ in range(processes)]
        self._begun = 0

    def new_actor(self, needs: Mapping[str, Any]) -> Any:
        self._begun += 1
        return SimulatedWorker(self._processes[self._begun % len(self._processes)], self._begun)

    def wait_for_all(self) -> None:
        """Wait until every worker is ready."""
        while len(self._slots) < self._lost_starts.most or not all(slot.is_ready for slot in self._slots):
            self.finished()

    def end_actor(self, actor: Any) -> None:
        """Do nothing: the processes end with the driver."""


class Simulation:
    """Place of a job with simulated workers. `start_seconds`, `cpu`, `wall`, `journal`: see Measured."""

    def __init__(self, job: Job[Item, Item], workers: int, seconds: float) -> None:
        work = Work(job.step, job.start, job.encode, job.without_result)
        self._output = job.output
        nodes = Nodes(1, 0, DriverFiles(os.getcwd(), {}, source_hash()), quiet=True)
        self._workers = SimulatedActors(work, nodes, workers, seconds)
        self.start_seconds = self.cpu = self.wall = 0.0
        self.journal = 0

    def start(self) -> Engine[Item, Item]:
        began = time.perf_counter()
        engine = self._workers.engine()
        self._workers.wait_for_all()
        self.start_seconds = time.perf_counter() - began
        return engine

    def entries(self, batches: Iterable[Sequence[Item]]) -> Iterator[list[Entry]]:
        began, cpu = time.perf_counter(), time.process_time()
        in_flight = InFlight(self._workers, lambda item, _: [Entry(item.claim_id, msgspec.Raw(b"{}"))])
        for results in in_flight.results(batches):
            yield results or []
        self.wall, self.cpu = time.perf_counter() - began, time.process_time() - cpu
        self.journal = progress_path(self._output).stat().st_size

    def status(self) -> str:
        return self._workers.status()

    def notes(self) -> Sequence[str]:
        return ()

    def close(self) -> None:
        self._workers.close()


def simulated(workers: int, claims: int, batch: int, seconds: float) -> Measured:
    """Return the measurements of one run in this process."""
    ray.init(
        "local", num_cpus=workers, object_store_memory=RESULTS_MEMORY, include_dashboard=False, log_to_driver=False
    )
    connect(AUTO, quiet=True)
    with tempfile.TemporaryDirectory() as folder:
        settings = JobSettings(output=Path(folder) / "out.json", quiet=True)
        items = [Item(number) for number in range(claims)]
        job = Job(STEP, settings, items, {}, lambda: Engine(work=_results), _without_result, batch=batch)
        place = Simulation(job, workers, seconds)
        before = _peak()
        run(job, place)
    ideal = claims * seconds / workers
    return Measured(
        workers, claims, batch, seconds, place.wall, ideal, place.cpu, place.start_seconds, _peak() - before,
        place.journal,
    )  # fmt: skip


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog=f"python -m {STEP}", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--workers", type=positive, required=True)
    parser.add_argument("--claims", type=positive, required=True)
    parser.add_argument("--batch", type=positive, default=10, help="claims in a batch")
    parser.add_argument("--seconds", type=float, default=0.1, help="of a claim in a worker")
    args = parser.parse_args(argv)
    with suppress(KeyboardInterrupt):
        result = simulated(args.workers, args.claims, args.batch, args.seconds)
        sys.stdout.buffer.write(msgspec.json.encode(result) + b"\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
