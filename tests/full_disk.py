"""Simulation of a full disk: the kernel limits the file size; a write beyond the limit is cut, then refused."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_room_after(size: int) -> Iterator[None]:
    """Limit every file of this process to `size` bytes inside the block; beyond it, writes raise OSError."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
