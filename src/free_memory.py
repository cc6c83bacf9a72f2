"""Memory that was freed, given back to the system.

Limitations: does nothing where the C library is not glibc.
"""

import ctypes
import gc


def give_back() -> None:
    """Collect garbage, and give freed memory back to the system; glibc keeps parts of it for later requests."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
