"""Starts a step as a program of its own and kills it, with no chance to clean up, at some place of its work."""

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
    """Kills it as soon as its progress file has so many lines. False: it ended before."""
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
    """Exit code, stdout and stderr."""
    out, err = process.communicate(timeout=PATIENCE)
    return process.returncode, out, err
