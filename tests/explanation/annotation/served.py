"""The step as a process of its own."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def served(project_root: Path, *flags: str) -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    """Gives the address that the step prints first, and its process, which ends with the block."""
    command = [sys.executable, "-m", "src.explanation.annotate", "--port", "0", *flags]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=project_root, text=True, stdout=pipe, stderr=pipe) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip(), process
        finally:
            process.terminate()
