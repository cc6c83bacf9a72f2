"""What runs on the nodes of the cluster: the comparison of files, tasks and actors."""

import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

from src.errors import FatalError, InputError, one_line
from src.runner.cluster.ray_api import NodeAffinitySchedulingStrategy, ray
from src.runner.engine import Attempt, Engine
from src.runner.fingerprint import InputFile, input_files
from src.runner.journal import Entry
from src.runner.manifest import source_hash
from src.runner.outcome import HasClaimId
from src.runner.place import Work
from src.runner.workers import Fatal

In = TypeVar("In", bound=HasClaimId)
Out = TypeVar("Out")


@dataclass(frozen=True)
class DriverFiles:
    """The driver's files, which each node must have.

    `folder`: working directory of the driver.
    `inputs`, `source_sha256`: input files with their hashes, and the hash of the code.
    """

    folder: str
    inputs: Mapping[str, InputFile]
    source_sha256: str


@dataclass(frozen=True)
class Outfit(Generic[In, Out]):
    """What each worker of a job is given, once."""

    work: Work[In, Out]
    files: DriverFiles


@dataclass(frozen=True)
class Unfit:
    """A node whose files differ from the driver's. `node`: its id in Ray."""

    node: str
    reason: str


@dataclass(frozen=True)
class Ready(Generic[In, Out]):
    """A worker whose models are loaded. `engine`: its engine without the functions that only the worker can call."""

    engine: Engine[In, Out]
    node: str


@ray.remote(num_cpus=0, max_retries=3)
def _looked_at(files: DriverFiles) -> Unfit | None:
    return _unfit(files)


def files_check_on(node: str) -> Any:
    """Return the check of a node's files, to be called on that node."""
    return _looked_at.options(scheduling_strategy=NodeAffinitySchedulingStrategy(node, soft=False))


def _unfit(files: DriverFiles) -> Unfit | None:
    """Enter the driver's folder, and compare the files of this node with the driver's. None if they are the same."""
    here = _this_node()
    try:
        os.chdir(files.folder)
        ours = input_files({name: Path(file.path) for name, file in files.inputs.items()})
    except (OSError, InputError) as error:
        return Unfit(here, f"the driver's files are not there: {one_line(str(error))}")
    if source_hash() != files.source_sha256:
        return Unfit(here, "it has another version of the project")
    changed = [file.path for name, file in files.inputs.items() if ours[name].sha256 != file.sha256]
    return Unfit(here, f"{', '.join(changed)}: differs from the driver's") if changed else None


_attempts: dict[str, Attempt[Any, Any] | Unfit] = {}  # of the runs that this process has worked for


@ray.remote(max_retries=0)
def computed(shared: "list[ray.ObjectRef[Outfit[Any, Any]]]", batch: Sequence[Any]) -> list[Entry] | Fatal | Unfit:
    run = shared[0].hex()
    if run not in _attempts:
        outfit = ray.get(shared[0])
        engine = _started(outfit)
        _attempts[run] = engine if isinstance(engine, Unfit) else outfit.work.attempt(engine)
    attempt = _attempts[run]
    return attempt if isinstance(attempt, Unfit) else _attempted(attempt, batch)


def _started(outfit: Outfit[In, Out]) -> Engine[In, Out] | Unfit:
    """Return the engine with its models. A node with other files, or where a model cannot be loaded, is unfit."""
    if unfit := _unfit(outfit.files):
        return unfit
    try:
        return outfit.work.start()
    except FatalError as error:
        return Unfit(_this_node(), one_line(str(error)))


@ray.remote(max_restarts=0, max_task_retries=0)
class Worker:
    """Actor with the models of one job."""

    def __init__(self, shared: "list[ray.ObjectRef[Outfit[Any, Any]]]") -> None:
        self._shared = shared

    def start(self) -> Ready[Any, Any] | Unfit:
        """Load the models."""
        outfit = ray.get(self._shared[0])
        engine = _started(outfit)
        if isinstance(engine, Unfit):
            return engine
        self._attempt = outfit.work.attempt(engine)
        return Ready(replace(engine, work=_elsewhere, estimate=None), _this_node())

    def compute(self, batch: Sequence[Any]) -> list[Entry] | Fatal:
        return _attempted(self._attempt, batch)


def _attempted(attempt: Attempt[Any, Any], batch: Sequence[Any]) -> list[Entry] | Fatal:
    try:
        return attempt(batch)
    except FatalError as error:
        return Fatal(str(error))


def _elsewhere(batch: Sequence[Any]) -> Sequence[Any]:
    raise RuntimeError("the models of this engine are in a worker of the cluster")


Opened = Callable[[], AbstractAsyncContextManager[Callable[[Any], Awaitable[Any]]]]


@ray.remote(max_restarts=0, max_task_retries=0)
class Server:
    """Actor that answers many questions at once.

    `shared`: function that opens the service; it yields the function from a question to its answer.
    """

    def __init__(self, files: DriverFiles, shared: "list[ray.ObjectRef[Opened]]") -> None:
        self._files, self._shared = files, shared
        self._opened = AsyncExitStack()

    async def start(self) -> Unfit | None:
        """Open the service. A node where it cannot be opened is unfit."""
        if unfit := _unfit(self._files):
            return unfit
        try:
            self._answer = await self._opened.enter_async_context((await self._shared[0])())
        except FatalError as error:
            return Unfit(_this_node(), one_line(str(error)))
        return None

    async def ask(self, question: Any) -> Any:
        """Return the answer to a question; a fatal error is returned as Fatal."""
        try:
            return await self._answer(question)
        except FatalError as error:
            return Fatal(str(error))

    async def close(self) -> None:
        """Close the service."""
        await self._opened.aclose()


def _this_node() -> str:
    return str(ray.get_runtime_context().get_node_id())
