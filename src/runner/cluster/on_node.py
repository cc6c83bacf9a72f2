"""What runs on the nodes of the cluster: the comparison of files, tasks and actors."""

import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

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
MOST = 300  # characters of the message of an error


@dataclass(frozen=True)
class DriverFiles:
    """The driver's files, which each node must have.

    `folder`: working directory of the driver.
    `inputs`, `source_sha256`: input files with their hashes, and the hash of the code.
    `nodes`: ids in Ray of the nodes where they were compared and found equal.
    """

    folder: str
    inputs: Mapping[str, InputFile]
    source_sha256: str
    nodes: frozenset[str] = frozenset()


class JobRefs(NamedTuple):
    """References to what each worker of a job reads once. The work is read after the files were compared."""

    files: "ray.ObjectRef[DriverFiles]"
    work: "ray.ObjectRef[Any]"


@dataclass(frozen=True)
class UnusableNode:
    """A node whose files differ from the driver's, or where a model cannot be loaded. `node`: its id in Ray."""

    node: str
    reason: str


@dataclass(frozen=True)
class _Started(Generic[In, Out]):
    """A worker's engine with its models, and the function from a batch of claims to their journal entries."""

    engine: Engine[In, Out]
    attempt: Attempt[In, Out]


@ray.remote(num_cpus=0, max_retries=3)
def _compared_with(files: DriverFiles) -> UnusableNode | None:
    return _compared(files)


def files_check_on(node: str) -> Any:
    """Return the check of a node's files, to be called on that node."""
    return _compared_with.options(scheduling_strategy=NodeAffinitySchedulingStrategy(node, soft=False))


def _compared(files: DriverFiles) -> UnusableNode | None:
    """Enter the driver's folder, and compare the files of this node with the driver's. None if they are the same.

    They are not read again on a node that the driver knows to be compared.
    """
    here = _this_node()
    try:
        os.chdir(files.folder)
        if here in files.nodes:
            return None
        ours = input_files({name: Path(file.path) for name, file in files.inputs.items()})
    except (OSError, InputError) as error:
        return UnusableNode(here, f"the driver's files are not there: {one_line(str(error))}")
    if source_hash() != files.source_sha256:
        return UnusableNode(here, "it has another version of the project")
    changed = [file.path for name, file in files.inputs.items() if ours[name].sha256 != file.sha256]
    return UnusableNode(here, f"{', '.join(changed)}: differs from the driver's") if changed else None


_runs: dict[str, _Started[Any, Any] | UnusableNode] = {}  # that this process has worked for


@ray.remote(max_retries=0)
def compute_batch(refs: JobRefs, batch: Sequence[Any]) -> list[Entry] | Fatal | UnusableNode:
    run = refs.work.hex()
    if run not in _runs:
        _runs[run] = _started(refs)
    started = _runs[run]
    return started if isinstance(started, UnusableNode) else _attempted(started.attempt, batch)


def _started(refs: JobRefs) -> _Started[Any, Any] | UnusableNode:
    """Load the models. A node with other files, or where a model cannot be loaded, cannot be used."""
    try:
        if unusable := _compared(ray.get(refs.files)):
            return unusable
        work: Work[Any, Any] = ray.get(refs.work)
        engine = work.start()
    except Exception as error:
        return _unusable(error)
    return _Started(engine, work.attempt(engine))


def _unusable(error: Exception) -> UnusableNode:
    """Return this node as unusable: a worker could not be started there."""
    reason = one_line(str(error))[:MOST]
    return UnusableNode(_this_node(), reason if isinstance(error, FatalError) else f"{type(error).__name__}: {reason}")


@ray.remote(max_restarts=0, max_task_retries=0)
class Worker:
    """Actor with the models of one job."""

    def __init__(self, refs: JobRefs) -> None:
        self._refs = refs

    def node(self) -> str:
        """Return the node's id in Ray."""
        return _this_node()

    def start(self) -> Engine[Any, Any] | UnusableNode:
        """Load the models. Return the engine without the functions that only the worker can call."""
        started = _started(self._refs)
        if isinstance(started, UnusableNode):
            return started
        self._attempt = started.attempt
        return replace(started.engine, work=_elsewhere, estimate=None)

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

    `refs`: the driver's files, and the function that opens the service, which yields the function from a question to
        its answer.
    """

    def __init__(self, refs: JobRefs) -> None:
        self._refs = refs
        self._opened = AsyncExitStack()

    async def node(self) -> str:
        """Return the node's id in Ray."""
        return _this_node()

    async def start(self) -> UnusableNode | None:
        """Open the service. A node where it cannot be opened cannot be used."""
        try:
            if unusable := _compared(await self._refs.files):
                return unusable
            self._answer = await self._opened.enter_async_context((await self._refs.work)())
        except Exception as error:
            return _unusable(error)
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
