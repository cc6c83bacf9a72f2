"""Start of a step as a separate program that is killed, without cleanup, in the middle of its work."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

PATIENCE = 120.0  # seconds that a program may take to get to the place


def start(module: str, flags: Sequence[str], root: Path, **environment: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", module, *flags]
    return subprocess.Popen(
        command, cwd=root, env={**os.environ, **environment}, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def kill_after(process: subprocess.Popen[str], progress: Path, lines: int) -> bool:
    """Kill the process as soon as its progress file has `lines` lines. Return False if it ended before."""
    deadline = time.monotonic() + PATIENCE
    with process:
        while process.poll() is None:
            assert time.monotonic() < deadline, "the step neither ended nor went on"
            if count_lines(progress) >= lines:
                process.send_signal(signal.SIGKILL)
                break
            time.sleep(0.001)
        process.communicate()
    return process.returncode == -signal.SIGKILL


def count_lines(path: Path) -> int:
    try:
        return path.read_bytes().count(b"\n")
    except FileNotFoundError:
        return 0


def finish(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Wait for the process; return its exit code, stdout and stderr."""
    out, err = process.communicate(timeout=PATIENCE)
    return process.returncode, out, err
