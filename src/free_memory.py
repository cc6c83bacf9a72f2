"""Memory that was freed, given back to the system.

Limitations: does nothing where the C library is not glibc.
"""

import ctypes
import gc


def give_back() -> None:
    """Collect garbage, and give freed memory back to the system."""
    gc.collect()
    trim()


def trim() -> None:
    """Give memory that was freed back to the system; glibc keeps parts of it for later requests of the same thread."""
    malloc_trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if malloc_trim is not None:
        malloc_trim(0)
