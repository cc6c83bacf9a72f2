"""Services: workers of the cluster that answer questions of the driver's event loop.

Each key has one worker, so that what a worker knows of it (such as the pauses that a web server demanded) is known
wherever the key is used. The questions of a worker that ends are asked again, at the worker that gets its keys. Those
that are lost again and again are asked one by one, so that one that no worker survives fails alone.

Limitations: the keys of a run are kept in memory.
"""

import asyncio
import os
from collections import Counter
from collections.abc import Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from src.errors import FatalError, one_line
from src.runner.cluster.connection import connect
from src.runner.cluster.flight import LOSSES
from src.runner.cluster.nodes import Nodes
from src.runner.cluster.on_node import DriverFiles, Opened, Server, Unfit
from src.runner.cluster.ray_api import RayError, RayTaskError, ray
from src.runner.fingerprint import InputFile
from src.runner.manifest import source_hash
from src.runner.workers import Fatal
from src.settings import ClusterSettings

SUSPECT = 2  # losses of a question after which it is asked while no other suspect is
GRACE = 10.0  # seconds that the first worker that is ready waits for the others
CLOSING = 10.0  # seconds for a worker to close its service


class WorkerLostError(Exception):
    """Raised when the workers that had a question ended again and again; the message has the reason."""


@dataclass(eq=False)
class _Worker:
    """An actor. `started`: done when its service is open."""

    actor: Any
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
        dashboard = connect(settings.address)
        self._files = DriverFiles(os.getcwd(), inputs, source_hash())
        self._nodes = Nodes(settings.actor_cpus, settings.actor_gpus, quiet)
        self._nodes.check(self._files)
        self._nodes.say(f"{name}: on {self._nodes.summary()}{dashboard}")
        self._opened = ray.put(opened)
        self._most = settings.num_actors
        self._workers: list[_Worker] = []
        self._owners: dict[str, _Worker] = {}
        self._keys: Counter[_Worker] = Counter()
        self._starts: set[asyncio.Task[None]] = set()
        self._lost_starts = 0
        self._suspects = asyncio.Lock()

    async def __aenter__(self) -> Self:
        self._hire()
        starts = [worker.started for worker in self._workers]
        await asyncio.wait(starts, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.wait(starts, timeout=GRACE)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for start in self._starts:
            start.cancel()
        ready = [worker for worker in self._workers if worker.started.done()]
        if kind is None:
            with suppress(TimeoutError):
                async with asyncio.timeout(CLOSING):
                    closing = [worker.actor.close.remote() for worker in ready]
                    await asyncio.gather(*closing, return_exceptions=True)
        for worker in self._workers:
            ray.kill(worker.actor)

    async def ask(self, key: str, question: Any) -> Any:
        """Return the answer of the key's worker.

        Raises FatalError if the worker says so, or when no worker can be started; WorkerLostError when the workers that
        had the question ended LOSSES times; an error of the service as it was.
        """
        reason = ""
        for losses in range(LOSSES):
            async with self._suspects if losses >= SUSPECT else nullcontext():
                worker = await self._owner(key)
                try:
                    answer = await worker.actor.ask.remote(question)
                except RayTaskError:
                    raise
                except RayError as error:
                    reason = one_line(str(error)).split(". ")[0][:200]
                    self._dismiss(worker)
                    continue
            if isinstance(answer, Fatal):
                raise FatalError(answer.message)
            return answer
        raise WorkerLostError(f"its worker ended {LOSSES} times: {reason}")

    async def _owner(self, key: str) -> _Worker:
        """Return the worker of a key: the one that had it before, else of those that are ready the one with the fewest.

        Raises what ended the start of the worker.
        """
        while (worker := self._owners.get(key)) not in self._workers or worker is None:
            ready = [worker for worker in self._workers if worker.started.done()]
            if not ready:
                starts = [worker.started for worker in self._workers]
                await asyncio.wait(starts, return_when=asyncio.FIRST_COMPLETED)
                continue
            self._owners[key] = min(ready, key=self._keys.__getitem__)
            self._keys[self._owners[key]] += 1
        worker.started.result()
        return worker

    def _hire(self) -> None:
        """Start workers, as many as fit the cluster and are wanted."""
        wanted = max(1, min(self._nodes.room(), self._most or self._nodes.room()))
        while len(self._workers) < wanted:
            server: Any = Server
            worker = _Worker(server.options(**self._nodes.needs()).remote(self._files, [self._opened]))
            self._workers.append(worker)
            start = asyncio.create_task(self._start(worker))
            self._starts.add(start)
            start.add_done_callback(self._starts.discard)

    async def _start(self, worker: _Worker) -> None:
        """Wait until a worker is ready; replace one that is not. What ends the run is raised where a worker is used."""
        try:
            unfit: Unfit | None = await worker.actor.start.remote()
            if unfit is not None:
                self._nodes.leave_out(unfit)
                self._dismiss(worker)
            self._lost_starts = 0
        except (FatalError, RayTaskError) as error:
            worker.started.set_exception(error)
            return
        except RayError as error:
            self._lost_starts += 1
            if self._lost_starts > LOSSES * (len(self._workers) + 1):
                message = f"workers of the Ray cluster end while they start: {one_line(str(error))[:200]}"
                worker.started.set_exception(FatalError(message))
                return
            self._dismiss(worker)
        worker.started.set_result(None)

    def _dismiss(self, worker: _Worker) -> None:
        """End a worker, if that was not done before, and start another one."""
        if worker in self._workers:
            self._workers.remove(worker)
            del self._keys[worker]
            ray.kill(worker.actor)
            self._hire()
