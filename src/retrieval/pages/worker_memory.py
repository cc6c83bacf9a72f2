"""How much memory a worker holds, and the bound on it.

What is loaded once, such as a spaCy pipeline, is not the page's doing: bounds count from when the worker was ready.

But: as Linux has it; elsewhere the most ever held stands for what is held, and the bound may not bind.
"""

import resource
import sys
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Self

MEGABYTE = 1 << 20
STATUS = Path("/proc/self/status")


class Held(NamedTuple):
    """Bytes: resident now, resident at the most ever, and of data, resident or not."""

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
    """Bounds the memory of this process to that much more than it holds.

    Of data alone, since the code of large libraries counts as address space many times what it takes.
    """
    bound = Held.now().data + megabytes * MEGABYTE
    kind = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
    with suppress(ValueError, OSError):  # a system without that limit
        resource.setrlimit(kind, (bound, bound))
