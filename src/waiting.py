"""Waiting for services, with cancellation by the caller.

    with while_wanted(check): waited(coroutine)

`check` is called ten times a second. If it raises, the coroutine is cancelled and `waited` raises the same error.

Limitations: works only in the thread that calls `while_wanted`, and only if no event loop runs in that thread.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

T = TypeVar("T")

LOOK = 0.1  # seconds between two calls of the check

_CHECK: ContextVar[Callable[[], None]] = ContextVar("check", default=lambda: None)


@contextmanager
def while_wanted(check: Callable[[], None]) -> Iterator[None]:
    """Set the cancellation check of every `waited` inside the block. `check` raises to cancel the work."""
    token = _CHECK.set(check)
    try:
        yield
    finally:
        _CHECK.reset(token)


def waited(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine and return its result. Raises the errors of the coroutine and of the cancellation check."""
    return asyncio.run(_watched(work, _CHECK.get()))


async def _watched(work: Coroutine[Any, Any, T], check: Callable[[], None]) -> T:
    task = asyncio.ensure_future(work)
    try:
        while not (await asyncio.wait([task], timeout=LOOK))[0]:
            check()
    except BaseException:
        task.cancel()
        await asyncio.wait([task])
        raise
    return task.result()
