"""Measurements of one process: wall and processor seconds, peak memory, bytes read.

Limitations: Linux only. Children that the process did not wait for are not counted.
"""

import os
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec


class Watched(msgspec.Struct, frozen=True):
    """Measurements of a process.

    `seconds`: wall time from its start to its end.
    `cpu`: processor seconds, of its children too.
    `peak`: largest resident memory in bytes, of the process alone.
    `read`: bytes that it read, from the system's cache or from a disk; pages of mapped files do not count.
    `from_disk`: bytes that were fetched from a disk for it, mapped files included.
    """

    seconds: float
    cpu: float
    peak: int
    read: int
    from_disk: int


def watched(command: Sequence[str], folder: Path) -> tuple[Watched, bytes]:
    """Run a command in a folder; return its measurements and its stdout.

    Raises CalledProcessError when it fails; its error is on stderr.
    """
    began = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE)
    assert process.stdout is not None
    with process.stdout:
        output = process.stdout.read()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # its counters are there until it is waited for
    counted = counters(process.pid)
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, list(command))
    cpu = used.ru_utime + used.ru_stime
    return Watched(seconds, cpu, used.ru_maxrss * 1024, counted["rchar"], counted["read_bytes"]), output


def counters(process: int | str = "self") -> Mapping[str, int]:
    """Return the counters of a process in /proc/PID/io."""
    lines = Path(f"/proc/{process}/io").read_text("utf-8").splitlines()
    return {name: int(value) for name, value in (line.split(": ") for line in lines)}


def forget(folders: Sequence[Path]) -> None:
    """Drop the files of these folders from the system's cache, unless another process has them mapped."""
    for file in _files(folders):
        with file.open("rb") as opened:
            os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _files(folders: Sequence[Path]) -> Iterator[Path]:
    return (file for folder in folders for file in folder.rglob("*") if file.is_file() and os.access(file, os.R_OK))
