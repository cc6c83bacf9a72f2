"""A line for the user when something takes long."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from src.runner.cluster.node_watch import SLOW
from src.runner.console import say


@contextmanager
def waiting(for_what: str, *, quiet: bool) -> Iterator[None]:
    """Print `waiting for …` once, if the block takes longer than SLOW seconds."""
    timer = threading.Timer(SLOW, say, [f"waiting for {for_what}"], {"quiet": quiet})
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
