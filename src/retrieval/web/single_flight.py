"""Cache of asynchronous queries: each key is queried once, and all callers wait for the same query.

Failures are cached, too, except those after which another attempt may succeed; the next caller then queries again.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

from src.retrieval.web.failures import FetchFailed

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


def _nothing(answer: object) -> int:
    return 0


class SingleFlight(Generic[K, V]):
    """Cache of the results of `query(key)`. The oldest finished results are dropped first.

    `keep`: maximum number of results; exceeded only while the oldest query is still running.
    `weight`: function from a result to its weight, such as its size in memory; by default every weight is 0.
    `most`: maximum total weight of the results.
    """

    def __init__(
        self, query: Callable[[K], Awaitable[V]], keep: int, weight: Callable[[V], int] = _nothing, most: int = 0
    ) -> None:
        self._query = query
        self._keep, self._most = keep, most
        self._weight = weight
        self._weights: dict[K, int] = {}  # weights of finished results
        self._load = 0
        self._tasks: OrderedDict[K, asyncio.Task[V | FetchFailed]] = OrderedDict()

    async def answer(self, key: K) -> V:
        """Return the result for a key, from the cache or by a query. Raises FetchFailed when the query failed."""
        task = self._tasks.get(key)
        if task is None:
            task = self._tasks[key] = asyncio.create_task(self._outcome(key))
            self._drop_oldest()
        self._tasks.move_to_end(key)
        result = await asyncio.shield(task)
        if isinstance(result, FetchFailed):
            raise result.again()
        return result

    def forget(self, key: K) -> None:
        """Drop the cached result for a key, so that the next call queries again."""
        task = self._tasks.get(key)
        if task is not None and task.done():
            self._drop(key)

    async def close(self) -> None:
        tasks = list(self._tasks.values())
        self._tasks.clear()
        self._weights.clear()
        self._load = 0
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _outcome(self, key: K) -> V | FetchFailed:
        """Run the query of a key; return its result or its failure. A failure that may be retried is not cached."""
        try:
            result = await self._query(key)
        except FetchFailed as failure:
            if failure.retry:
                self._tasks.pop(key, None)
            return failure.again()
        if key in self._tasks:
            self._weights[key] = self._weight(result)
            self._load += self._weights[key]
            self._drop_heavy()
        return result

    def _drop_oldest(self) -> None:
        while len(self._tasks) > self._keep:
            oldest = next(iter(self._tasks))
            if not self._tasks[oldest].done():
                return
            self._drop(oldest)

    def _drop_heavy(self) -> None:
        """Drop the oldest finished results until the total weight is at most `most`; running queries continue."""
        while self._load > self._most:
            self._drop(next(key for key in self._tasks if key in self._weights))

    def _drop(self, key: K) -> None:
        del self._tasks[key]
        self._load -= self._weights.pop(key, 0)
