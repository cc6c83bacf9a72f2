"""A server as a process of its own."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def served(
    project_root: Path, module: str, *arguments: str, environment: Mapping[str, str] = os.environ
) -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    """Gives the address that the module prints first, and its process, which ends with the block."""
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
