"""Progress callbacks for language models: how many of a call's requests are answered so far.

    with listening(show): model.complete(requests)

The listener is called often, with the number of requests answered since the last call, which may be 0. An exception in
it ends the call.

Limitations: only engines that run in this process, and the cache, report, and only to the thread that called
`complete`.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[int], None]

_LISTENER: ContextVar[Listener] = ContextVar("listener", default=lambda _: None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def answered(number: int) -> None:
    """Report that `number` more requests are answered."""
    _LISTENER.get()(number)
