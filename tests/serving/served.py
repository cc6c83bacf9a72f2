"""A server as a process of its own, and waiting for what it does."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

PATIENCE = 120.0  # seconds until a test gives up: the machine may be busy
T = TypeVar("T")


@contextmanager
def served(
    project_root: Path, module: str, *arguments: str, environment: Mapping[str, str] = os.environ
) -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    """Yield the address that the module prints first, and its process, which ends with the block."""
    command = [sys.executable, "-m", module, *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, cwd=project_root, env={**environment}, text=True, stdout=pipe, stderr=pipe
    ) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip(), process
        finally:
            process.terminate()


def wait_until(look: Callable[[], T], is_so: Callable[[T], object]) -> T:
    """Return what `look` gives as soon as it is so. Fails after PATIENCE."""
    until = time.monotonic() + PATIENCE
    while not is_so(seen := look()):
        assert time.monotonic() < until, seen
        time.sleep(0.01)
    return seen
