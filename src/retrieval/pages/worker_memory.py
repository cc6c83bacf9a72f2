"""Memory use of a worker, and its limit.

Memory that is loaded once, such as a spaCy pipeline, is not charged to pages: limits count from when the worker was
ready.

Limitations: measured as on Linux. Elsewhere the peak is used as the current value, and the limit may have no effect.
"""

import resource
import sys
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Self

MEGABYTE = 1 << 20
STATUS = Path("/proc/self/status")


class Held(NamedTuple):
    """Memory in bytes: resident now, resident at the peak, and data segment, resident or not."""

    resident: int
    peak: int
    data: int

    @classmethod
    def now(cls) -> Self:
        try:
            lines = STATUS.read_bytes().splitlines()
        except OSError:
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
            return cls(peak, peak, peak)
        sizes = {name: value for name, _, value in (line.partition(b":") for line in lines)}
        return cls(*(int(sizes[name].split()[0]) * 1024 for name in (b"VmRSS", b"VmHWM", b"VmData")))


def allow(megabytes: int) -> None:
    """Limit the memory of this process to that much more than it holds.

    Only data is limited, since the address space of large libraries is many times their memory.
    """
    bound = Held.now().data + megabytes * MEGABYTE
    kind = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
    with suppress(ValueError, OSError):  # a system without that limit
        resource.setrlimit(kind, (bound, bound))
