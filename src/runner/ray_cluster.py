"""A Ray cluster as the place of a job: models in actors, plain work in tasks.

The process that was started (the driver) has the claims, the journal and the order of the output. A worker gets a batch
of claims and returns its journal entries. Stores and models are not sent: each worker reads them by path, from the
folder in which the driver was started. It first compares the hashes of inputs, code and model with the driver's; a node
where they differ is left out, with a note. Batches of workers that end are tried again (`flight.py`).

Limitations: all nodes need the project's folder at the same path. No Ray Client (`ray://`), which Ray does not
recommend for long runs. If the head of the cluster is lost, the run ends; the same command goes on from the journal.
"""

import logging
import os
import socket
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from src.errors import FatalError, InputError, MissingExtra, NetworkError, one_line
from src.runner.console import how_many, say
from src.runner.engine import Attempt, Engine
from src.runner.fingerprint import InputFile, input_files
from src.runner.flight import AHEAD, LOSSES, Lost, Trip, fly
from src.runner.journal import Entry
from src.runner.manifest import plain_model, same_model, source_hash
from src.runner.outcome import HasClaimId
from src.runner.output import Failure
from src.runner.place import Work
from src.runner.workers import Fatal
from src.settings import ClusterSettings

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is sent to Ray's makers
os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # Ray 2.60 warns without it
try:
    import ray
    from ray.exceptions import OutOfMemoryError, RayError, RayTaskError
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy, NodeLabelSchedulingStrategy, NotIn
except ImportError:
    raise MissingExtra("--ray needs the package ray; run: bash script/setup.sh --ray") from None

In = TypeVar("In", bound=HasClaimId)
Out = TypeVar("Out")
LOCAL, AUTO = "local", "auto"
PATIENCE = 20.0  # seconds to reach the head
LOOK = 1.0  # seconds of waiting for results, before the cluster is looked at again
RESULTS_MEMORY = 256 * 1024 * 1024  # bytes of shared memory of a cluster on this machine; results are small
NODE = "ray.io/node-id"  # label that Ray gives each node
SLOW_START = 10.0  # seconds without a ready worker, after which a line says so

_dashboard = ""


@dataclass(frozen=True)
class _Outfit(Generic[In, Out]):
    """What each worker is given, once.

    `folder`: working directory of the driver.
    `inputs`, `source_sha256`: input files with their hashes, and the hash of the code.
    """

    work: Work[In, Out]
    folder: str
    inputs: Mapping[str, InputFile]
    source_sha256: str


@dataclass(frozen=True)
class _Unfit:
    """A node whose files differ from the driver's. `node`: its id in Ray."""

    node: str
    reason: str


@dataclass(frozen=True)
class _Ready(Generic[In, Out]):
    """A worker whose models are loaded. `engine`: its engine without the functions that only the worker can call."""

    engine: Engine[In, Out]
    node: str


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
        _name_main()
        dashboard = _connect(settings.ray or AUTO)
        outfit = _Outfit(work, os.getcwd(), inputs, source_hash())
        nodes = _Nodes(settings.actor_cpus, settings.actor_gpus, quiet) if in_actors else _Nodes(1, 0, quiet)
        nodes.check(outfit)
        at = f"; dashboard http://{dashboard}" if dashboard else ""
        say(f"{work.step.rpartition('.')[2]}: on a Ray cluster of {nodes.summary()}{at}", quiet=quiet)
        most = settings.num_actors or batches
        self._fleet: _Actors[In] | _Tasks[In] = (
            _Actors(outfit, nodes, min(most, batches)) if in_actors else _Tasks(outfit, nodes, most)
        )

    def start(self) -> Engine[In, Out]:
        """Return the engine of the first worker that is ready. Its `work` cannot be called here."""
        return self._fleet.engine()

    def entries(self, batches: Sequence[Sequence[In]]) -> Iterator[list[Entry]]:
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


def _connect(address: str) -> str:
    """Connect this process to a cluster, unless it is connected. Return the address of the dashboard, "" if none."""
    global _dashboard
    if not ray.is_initialized():
        if address not in (LOCAL, AUTO):
            _reach(address)
        memory = RESULTS_MEMORY if address == LOCAL else None
        try:
            context = ray.init(address, log_to_driver=False, logging_level=logging.ERROR, object_store_memory=memory)
        except (ConnectionError, RuntimeError, ValueError, TimeoutError, RayError) as error:
            raise _unreached(address, one_line(str(error))[:200]) from None
        _dashboard = str(context.dashboard_url or "")
    return _dashboard


def _reach(address: str) -> None:
    """Connect to the cluster's head and hang up; Ray itself would wait for minutes where nobody answers.

    Raises InputError for an address that is not HOST:PORT, NetworkError when nobody answers.
    """
    if "://" in address:
        advice = "give HOST:PORT on a machine of the cluster, or: ray job submit -- python -m STEP …"
        raise InputError(f"--ray {address}: the Ray Client is not made for long runs; {advice}")
    host, _, port = address.rpartition(":")
    if not (host and port.isdecimal()):
        raise InputError(f"--ray {address}: is none of {AUTO}, {LOCAL}, HOST:PORT")
    try:
        socket.create_connection((host.strip("[]"), int(port)), PATIENCE).close()
    except (OSError, OverflowError) as error:
        raise _unreached(address, str(error)) from None


def _unreached(address: str, reason: str) -> NetworkError:
    advice = f"start one with: ray start --head (--ray {LOCAL} for a try); RAY_AUTH_MODE=token if it asks for a token"
    return NetworkError(f"--ray {address}: no Ray cluster answers ({reason}); {advice}")


def _name_main() -> None:
    """Give the classes and functions of the main module the module's own name.

    `python -m src.x` runs the module as `__main__`, under which no worker would find them.
    """
    main = sys.modules["__main__"]
    if (spec := getattr(main, "__spec__", None)) is None:
        return
    sys.modules.setdefault(spec.name, main)
    for one in vars(main).values():
        if hasattr(one, "__qualname__") and one.__module__ == "__main__":
            one.__module__ = spec.name


def _nodes() -> list[dict[str, Any]]:
    """Return all nodes that the cluster knows, as Ray describes them."""
    return list(ray.nodes())  # type: ignore[no-untyped-call]


class _Nodes:
    """The nodes that can work: with room for a worker, and with the driver's files.

    `cpus`, `gpus`: what one worker needs.
    """

    def __init__(self, cpus: float, gpus: float, quiet: bool) -> None:
        self.cpus, self.gpus = cpus, gpus
        self._quiet = quiet
        self._unfit: set[str] = set()
        self._looked, self._room = 0.0, 0

    def check(self, outfit: _Outfit[Any, Any]) -> None:
        """Compare the files of each node with the driver's. Raises InputError when no node is left."""
        fitting = [str(node["NodeID"]) for node in self._fitting()]
        if not fitting:
            needs = f"--actor_cpus {self.cpus:g}" + (f" --actor_gpus {self.gpus:g}" if self.gpus else "")
            raise InputError(f"no node of the Ray cluster has room for a worker with {needs}")
        for answer in [_answer(call) for call in [_on(node).remote(outfit) for node in fitting]]:
            if isinstance(answer, _Unfit):
                self.leave_out(answer)

    def leave_out(self, unfit: _Unfit) -> None:
        """Use a node no more, with a line for the user. Raises InputError when no node is left."""
        if unfit.node in self._unfit:
            return
        self._unfit.add(unfit.node)
        self._looked = 0.0
        name = next((node["NodeManagerAddress"] for node in _nodes() if node["NodeID"] == unfit.node), unfit.node)
        if not self._fitting():
            raise InputError(f"node {name} of the Ray cluster: {unfit.reason}")
        self.say(f"note: node {name} of the Ray cluster is left out: {unfit.reason}")

    def say(self, text: str) -> None:
        """Print one line, unless the step is quiet."""
        say(text, quiet=self._quiet)

    def room(self) -> int:
        """Return the number of workers for which the cluster has room; looked up at most once a second."""
        if time.monotonic() - self._looked > LOOK:
            self._room, self._looked = sum(map(self._workers, self._fitting())), time.monotonic()
        return self._room

    def needs(self) -> dict[str, Any]:
        """Return the options of a worker: its cores and GPUs, and the nodes to avoid."""
        needs = {"num_cpus": self.cpus, "num_gpus": self.gpus}
        if not self._unfit:
            return {**needs, "scheduling_strategy": "SPREAD"}
        elsewhere = NotIn(*self._unfit)  # type: ignore[no-untyped-call]
        return {**needs, "scheduling_strategy": NodeLabelSchedulingStrategy(hard={NODE: elsewhere})}

    def summary(self) -> str:
        """Return the size of the cluster as text: `2 nodes, 64 cores`."""
        has: Counter[str] = Counter()
        for node in self._fitting():
            has.update({name: node["Resources"].get(name, 0) for name in ("CPU", "GPU")})
        gpus = f", {has['GPU']:g} GPUs" if has["GPU"] else ""
        return f"{how_many(len(self._fitting()), 'node')}, {has['CPU']:g} cores{gpus}"

    def _fitting(self) -> list[dict[str, Any]]:
        alive = [node for node in _nodes() if node["Alive"] and node["NodeID"] not in self._unfit]
        return [node for node in alive if self._workers(node)]

    def _workers(self, node: Mapping[str, Any]) -> int:
        has = node["Resources"]
        by_cpus = int(has.get("CPU", 0) / self.cpus)
        return min(by_cpus, int(has.get("GPU", 0) / self.gpus)) if self.gpus else by_cpus


class _Tasks(Generic[In]):
    """Tasks without a model: each core of the cluster takes batches."""

    def __init__(self, outfit: _Outfit[In, Any], nodes: _Nodes, most: int) -> None:
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
        self._flights[_computed.options(**self._nodes.needs()).remote([self._shared], trip.batch)] = trip

    def landed(self) -> list[tuple[Trip[In], list[Entry] | Lost]]:
        results: list[tuple[Trip[In], list[Entry] | Lost]] = []
        for call in _landed(self._flights):
            trip, answer = self._flights.pop(call), _answer(call)
            if isinstance(answer, _Unfit):
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


@dataclass(eq=False)
class _Seat:
    """An actor. `node`: where it is ready; "" while it starts.

    `load`: number of batches that it has. `is_alone`: its batch was lost before, and gets no second one beside it.
    """

    actor: Any
    node: str = ""
    load: int = 0
    is_alone: bool = False


class _Actors(Generic[In]):
    """Actors that keep their models; an actor that has ended is replaced by a new one."""

    def __init__(self, outfit: _Outfit[In, Any], nodes: _Nodes, most: int) -> None:
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
        for call in _landed(self._calls):
            seat, trip = self._calls.pop(call)
            answer = _answer(call)
            if trip is None:
                self._started(seat, answer)
                continue
            seat.load, seat.is_alone = seat.load - 1, False
            if isinstance(answer, Lost):
                self._dismiss(seat)
            results.append((trip, answer))
        return results

    def _hire(self) -> None:
        """Start actors, as many as fit the cluster and are wanted."""
        while len(self._seats) < min(self._nodes.room(), self._most):
            worker: Any = _Worker
            seat = _Seat(worker.options(**self._nodes.needs()).remote([self._shared]))
            self._seats.append(seat)
            self._calls[seat.actor.start.remote()] = (seat, None)

    def _dismiss(self, seat: _Seat) -> None:
        if seat in self._seats:
            self._seats.remove(seat)
            ray.kill(seat.actor)

    def _started(self, seat: _Seat, answer: Any) -> None:
        """Note an actor that is ready; replace one that is not."""
        if isinstance(answer, _Ready):
            first = self._engine or answer.engine
            if same_model(plain_model(first.model), plain_model(answer.engine.model)):
                self._engine, seat.node, self._lost_starts = first, answer.node, 0
                return
            answer = _Unfit(answer.node, "its model is another one than that of the first worker")
        self._dismiss(seat)
        if isinstance(answer, _Unfit):
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


def _landed(calls: Mapping["ray.ObjectRef[Any]", Any]) -> list["ray.ObjectRef[Any]"]:
    """Return the calls that are finished; waits at most LOOK seconds for the first one."""
    waiting = list(calls)
    if not waiting:
        time.sleep(LOOK)
        return []
    ready, _ = ray.wait(waiting, num_returns=1, timeout=LOOK)
    if ready and len(waiting) > 1:
        ready, _ = ray.wait(waiting, num_returns=len(waiting), timeout=0)
    return list(ready)


def _answer(call: "ray.ObjectRef[Any]") -> Any:
    """Return the result of a finished call, or Lost if its worker has ended.

    Raises FatalError if the worker says so; an error of the program itself is raised as it was.
    """
    try:
        answer = ray.get(call)
    except RayTaskError:
        raise
    except OutOfMemoryError:
        return Lost("its node had no memory left")
    except RayError as error:
        return Lost(one_line(str(error)).split(". ")[0][:200])
    if isinstance(answer, Fatal):
        raise FatalError(answer.message)
    return answer


# What follows runs on the nodes of the cluster.


@ray.remote(num_cpus=0, max_retries=3)
def _looked_at(outfit: _Outfit[Any, Any]) -> _Unfit | None:
    return _unfit(outfit)


def _on(node: str) -> Any:
    """Return the check of a node's files, to be called on that node."""
    return _looked_at.options(scheduling_strategy=NodeAffinitySchedulingStrategy(node, soft=False))


def _unfit(outfit: _Outfit[Any, Any]) -> _Unfit | None:
    """Enter the driver's folder, and compare the files of this node with the driver's. None if they are the same."""
    here = ray.get_runtime_context().get_node_id()
    try:
        os.chdir(outfit.folder)
        ours = input_files({name: Path(file.path) for name, file in outfit.inputs.items()})
    except (OSError, InputError) as error:
        return _Unfit(here, f"the driver's files are not there: {one_line(str(error))}")
    if source_hash() != outfit.source_sha256:
        return _Unfit(here, "it has another version of the project")
    changed = [file.path for name, file in outfit.inputs.items() if ours[name].sha256 != file.sha256]
    return _Unfit(here, f"{', '.join(changed)}: differs from the driver's") if changed else None


_attempts: dict[str, Attempt[Any, Any] | _Unfit] = {}  # of the runs that this process has worked for


@ray.remote(max_retries=0)
def _computed(shared: "list[ray.ObjectRef[_Outfit[Any, Any]]]", batch: Sequence[Any]) -> list[Entry] | Fatal | _Unfit:
    run = shared[0].hex()
    if run not in _attempts:
        outfit = ray.get(shared[0])
        _attempts[run] = _unfit(outfit) or outfit.work.attempt(outfit.work.start())
    attempt = _attempts[run]
    return attempt if isinstance(attempt, _Unfit) else _attempted(attempt, batch)


@ray.remote(max_restarts=0, max_task_retries=0)
class _Worker:
    """Actor with the models of one job."""

    def __init__(self, shared: "list[ray.ObjectRef[_Outfit[Any, Any]]]") -> None:
        self._shared = shared

    def start(self) -> _Ready[Any, Any] | _Unfit:
        """Load the models. A model that cannot be loaded here makes the node unfit."""
        outfit = ray.get(self._shared[0])
        if unfit := _unfit(outfit):
            return unfit
        here = ray.get_runtime_context().get_node_id()
        try:
            engine = outfit.work.start()
        except FatalError as error:
            return _Unfit(here, one_line(str(error)))
        self._attempt = outfit.work.attempt(engine)
        return _Ready(replace(engine, work=_elsewhere, estimate=None), here)

    def compute(self, batch: Sequence[Any]) -> list[Entry] | Fatal:
        return _attempted(self._attempt, batch)


def _attempted(attempt: Attempt[Any, Any], batch: Sequence[Any]) -> list[Entry] | Fatal:
    try:
        return attempt(batch)
    except FatalError as error:
        return Fatal(str(error))


def _elsewhere(batch: Sequence[Any]) -> Sequence[Any]:
    raise RuntimeError("the models of this engine are in a worker of the cluster")
