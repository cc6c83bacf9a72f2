"""Watch on a command and all processes that it starts: when one of its scripts ran, and the largest memory."""

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import psutil

PAUSE = 0.1  # seconds between looks
GRACE = 10.0  # seconds between a request to end and a kill


class Observation(NamedTuple):
    """What was seen of a command.

    `code`: its exit code; None if it was stopped after the limit.
    `began`, `ended`: of the script, in seconds since 1970; None if it was not seen.
    `memory`: the largest sum of the memory of all processes, in bytes; shared memory counts in each.
    """

    code: int | None
    began: float | None
    ended: float | None
    memory: int


def watch(
    command: Sequence[str], script: str, *, cwd: Path, env: Mapping[str, str], log: Path, limit: float
) -> Observation:
    """Run a command for at most `limit` seconds, with its output in the file `log`, and return what was seen of it.

    `script`: name of a script that the command runs; a process with this name in its command line is it.
    """
    began = ended = None
    memory, stop, runners = 0, time.monotonic() + limit, set[psutil.Process]()
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
            start_new_session=True,
        )  # fmt: skip
        try:
            while (code := process.poll()) is None and time.monotonic() < stop:
                tree = _tree(process.pid)
                memory = max(memory, sum(map(_memory, tree)))
                runners |= {one for one in tree if _runs(one, script)}
                if any(one.is_running() for one in runners):  # the script may have become another program by exec
                    ended = time.time()
                    began = began or ended
                time.sleep(PAUSE)
        finally:
            _end(process)
    return Observation(code, began, ended, memory)


def _tree(pid: int) -> list[psutil.Process]:
    with suppress(psutil.Error):
        top = psutil.Process(pid)
        return [top, *top.children(recursive=True)]
    return []


def _memory(process: psutil.Process) -> int:
    with suppress(psutil.Error):
        return int(process.memory_info().rss)
    return 0


def _runs(process: psutil.Process, script: str) -> bool:
    """Return True if a process runs the script."""
    with suppress(psutil.Error):
        return any(Path(word).name == script for word in process.cmdline())
    return False


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a command, and processes of its session that it left behind."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(GRACE)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
