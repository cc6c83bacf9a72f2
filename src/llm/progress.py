"""Who waits for a model may listen: how many of a call's requests are answered, while it still works.

    with listening(show): model.complete(requests)

The listener is called often, with the number that was answered since it was last called, 0 included; what it raises
ends the call.

But: only of engines that run in this process, and in the thread that asks; others are silent.
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
    """So many more requests are answered."""
    _LISTENER.get()(number)
