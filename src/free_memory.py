"""Memory that was freed, given back to the system.

Limitations: does nothing where the C library is not glibc.
"""

import ctypes
import gc

LARGE = 4_000_000  # bytes
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # parameters of mallopt(3)


def give_back() -> None:
    """Collect garbage, and give freed memory back to the system."""
    gc.collect()
    trim()


def trim() -> None:
    """Give memory that was freed back to the system; glibc keeps parts of it for later requests of the same thread."""
    malloc_trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if malloc_trim is not None:
        malloc_trim(0)


def map_large_blocks() -> None:
    """Let each block of more than `LARGE` bytes be mapped alone, so that it goes back to the system once it is freed.

    Otherwise, blocks of many sizes, as of rows of many lengths, leave gaps that add up to gigabytes. Mapping takes
    time, so this is for few and large blocks.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_MMAP_THRESHOLD, LARGE)
        mallopt(M_TRIM_THRESHOLD, LARGE)
