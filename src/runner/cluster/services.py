"""Services: workers of the cluster that answer questions of the driver's event loop.

Each key has one worker, so that what a worker knows of it (such as the robots.txt of a web server) is known wherever
the key is used. The questions of a worker that ends are asked again, at the worker that gets its keys. Those that are
lost again and again are asked one by one, so that one that no worker survives fails alone.

Limitations: the keys of a run are kept in memory.
"""

import asyncio
import os
import sys
from collections import Counter
from collections.abc import Coroutine, Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from src.errors import FatalError
from src.runner.cluster.calls import LOOK, reason_of
from src.runner.cluster.connection import connect
from src.runner.cluster.in_flight import IN_A_ROW, LOSSES, WorkerLostError
from src.runner.cluster.lost_starts import LostStarts, StartedActor
from src.runner.cluster.nodes import Nodes
from src.runner.cluster.on_node import DriverFiles, JobRefs, Opened, Server, UnusableNode
from src.runner.cluster.ray_api import RayError, RayTaskError, ray
from src.runner.console import how_many
from src.runner.fingerprint import InputFile
from src.runner.manifest import source_hash
from src.runner.workers import Fatal
from src.settings import ClusterSettings

SUSPECT = 2  # losses of a question after which it is asked while no other suspect is
GRACE = 10.0  # seconds that the first worker that is ready waits for the others
CLOSING = 10.0  # seconds for a worker to close its service


@dataclass(eq=False)
class _Worker(StartedActor):
    """An actor. `started`: done when its service is open."""

    started: asyncio.Future[None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class Services:
    """Workers on a cluster: `async with Services(...) as services: await services.ask(key, question)`.

    `opened`: function that opens the service of a worker, as an asynchronous context of the function from a question
        to its answer. It must be picklable.
    `inputs`: input files with their hashes, which each node must have.
    `name`: of the step, for messages.

    The constructor raises as `connect` does, and InputError for a cluster without a fitting node.
    """

    def __init__(
        self, opened: Opened, settings: ClusterSettings, inputs: Mapping[str, InputFile], name: str, *, quiet: bool
    ) -> None:
        dashboard = connect(settings.address, quiet=quiet)
        files = DriverFiles(os.getcwd(), inputs, source_hash())
        self._nodes = Nodes(settings.actor_cpus, settings.actor_gpus, files, quiet=quiet)
        self._nodes.say(f"{name}: on {self._nodes.summary()}{dashboard}")
        self._opened = ray.put(opened)
        self._workers: list[_Worker] = []
        self._owners: dict[str, _Worker] = {}
        self._keys: Counter[_Worker] = Counter()
        self._background: set[asyncio.Task[None]] = set()
        self._lost_starts = LostStarts(self._nodes, settings.num_actors or sys.maxsize)
        self._asked = self._given_up = 0  # questions under way; those in a row that no worker survived
        self._suspects = asyncio.Lock()

    async def __aenter__(self) -> Self:
        self._start_workers()
        self._in_background(self._watch())
        starts = [worker.started for worker in self._workers]
        await asyncio.wait(starts, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.wait(starts, timeout=GRACE)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in self._background:
            task.cancel()
        ready = self._ready()
        if kind is None:
            with suppress(TimeoutError):
                async with asyncio.timeout(CLOSING):
                    closing = [worker.actor.close.remote() for worker in ready]
                    await asyncio.gather(*closing, return_exceptions=True)
        for worker in self._workers:
            ray.kill(worker.actor)

    async def ask(self, key: str, question: Any) -> Any:
        """Return the answer of the key's worker.

        Raises FatalError if the worker says so, when no worker can be started, and when no worker survives question
        after question; WorkerLostError when the workers that had the question ended LOSSES times; an error of the
        service as it was.
        """
        self._asked += 1
        try:
            return await self._answer(key, question)
        finally:
            self._asked -= 1

    def status(self) -> str:
        """Return what is at work, for the progress display."""
        return f"{how_many(len(self._ready()), 'worker')}, {how_many(self._asked, 'request')} in flight"

    async def _answer(self, key: str, question: Any) -> Any:
        reason = ""
        for losses in range(LOSSES):
            async with self._suspects if losses >= SUSPECT else nullcontext():
                worker = await self._owner(key)
                try:
                    answer = await worker.actor.ask.remote(question)
                except RayTaskError:
                    self._given_up = 0
                    raise
                except RayError as error:
                    reason = reason_of(error)
                    self._stop(worker)
                    continue
            self._given_up = 0
            if isinstance(answer, Fatal):
                raise FatalError(answer.message)
            return answer
        self._given_up += 1
        if self._given_up > IN_A_ROW:
            raise FatalError(f"workers end one after another: {reason}; what was finished is kept")
        raise WorkerLostError(f"its worker ended {LOSSES} times: {reason}")

    async def _owner(self, key: str) -> _Worker:
        """Return the worker of a key: the one that had it before, else of those that are ready the one with the fewest.

        Raises what ended the start of the worker.
        """
        while (worker := self._owners.get(key)) not in self._workers or worker is None:
            if not (ready := self._ready()):
                starts = [worker.started for worker in self._workers]
                await asyncio.wait(starts, return_when=asyncio.FIRST_COMPLETED)
                continue
            self._owners[key] = min(ready, key=self._keys.__getitem__)
            self._keys[self._owners[key]] += 1
        worker.started.result()
        return worker

    def _start_workers(self) -> None:
        """Start workers, as many as fit the cluster and are wanted."""
        wanted = max(1, min(self._nodes.room(), self._lost_starts.most))
        while len(self._workers) < wanted:
            server: Any = Server
            refs = JobRefs(self._nodes.files(), self._opened)
            worker = _Worker(server.options(**self._nodes.needs()).remote(refs))
            self._workers.append(worker)
            self._in_background(self._start(worker))

    def _in_background(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def _watch(self) -> None:
        """Look at the nodes once a second, and start workers on those that have joined or come back.

        If none comes back, those who wait for a worker get the FatalError.
        """
        while True:
            try:
                self._start_workers()
            except FatalError as error:
                for worker in self._workers:
                    if not worker.started.done():
                        worker.started.set_exception(error)
            await asyncio.sleep(LOOK)

    async def _start(self, worker: _Worker) -> None:
        """Wait until a worker is ready; replace one that is not. What ends the run is raised where a worker is used."""
        error: FatalError | RayTaskError | None = None
        try:
            await self._open(worker)
        except (FatalError, RayTaskError) as ending:
            error = ending
        if worker.started.done():  # the watch has ended the run
            return
        if error is None:
            worker.started.set_result(None)
        else:
            worker.started.set_exception(error)

    async def _open(self, worker: _Worker) -> None:
        try:
            worker.node = await worker.actor.node.remote()
            unusable: UnusableNode | None = await worker.actor.start.remote()
        except RayTaskError:
            raise
        except RayError as lost:
            self._lost_starts.note_lost(worker, reason_of(lost), [one.node for one in self._ready()])
            self._stop(worker)
            return
        if unusable is None:
            self._lost_starts.note_ready(worker.node)
        else:
            self._nodes.leave_out(unusable)
            self._stop(worker)

    def _ready(self) -> list[_Worker]:
        return [worker for worker in self._workers if worker.started.done()]

    def _stop(self, worker: _Worker) -> None:
        """End a worker, if that was not done before, and start another one."""
        if worker in self._workers:
            self._workers.remove(worker)
            del self._keys[worker]
            ray.kill(worker.actor)
            self._start_workers()
