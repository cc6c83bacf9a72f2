"""A disk without room, as the kernel tells it: what is written beyond the limit is cut, then refused."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_room_after(size: int) -> Iterator[None]:
    """No file of this process grows beyond so many bytes; OSError "File too large"."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
