"""Worker processes: all results once, few items ahead, and clear errors when a worker or its parent dies."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from src.errors import FatalError, InputError
from src.runner.workers import AHEAD, cores, in_workers


def double(number: int) -> tuple[int, int]:
    return 2 * number, os.getpid()


def die(number: int) -> int:
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def refuse(number: int) -> int:
    raise InputError(f"no {number}", path="claims.json", line=7)


def break_down(number: int) -> int:
    raise ZeroDivisionError("of the program")


def test_every_result_once_from_other_processes() -> None:
    results = list(in_workers(double, range(20), 2))
    assert sorted(result for result, _ in results) == list(range(0, 40, 2))
    processes = {process for _, process in results}
    assert os.getpid() not in processes
    assert len(processes) <= 2


def test_few_items_are_taken_ahead_of_the_results() -> None:
    taken = []

    def items() -> Iterator[int]:
        for number in range(30):
            taken.append(number)
            yield number

    for done, _ in enumerate(in_workers(double, items(), 2), start=1):
        assert len(taken) <= done + AHEAD * 2


def test_a_worker_that_is_killed_ends_the_run_with_one_line() -> None:
    with pytest.raises(FatalError, match="a worker process ended suddenly") as caught:
        list(in_workers(die, range(9), 2))
    assert "\n" not in str(caught.value)


def test_a_fatal_error_keeps_its_line() -> None:
    with pytest.raises(FatalError, match=r"claims\.json, line 7: no 0"):
        list(in_workers(refuse, [0], 2))


def test_a_fault_of_the_program_comes_through() -> None:
    with pytest.raises(ZeroDivisionError):
        list(in_workers(break_down, [0], 2))


PARENT = """
import sys
from tests.runner.test_workers import double
from src.runner.workers import in_workers
for _, process in in_workers(double, iter(int, 1), 2):
    print(process, flush=True)
"""


def test_workers_end_with_their_parent(project_root: Path) -> None:
    command = [sys.executable, "-c", PARENT]
    with subprocess.Popen(command, cwd=project_root, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        parent.kill()
    deadline = time.monotonic() + 60
    while is_running(worker):
        assert time.monotonic() < deadline, "the worker lives on"
        time.sleep(0.01)


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_cores_are_those_of_this_process() -> None:
    assert 1 <= cores() <= (os.cpu_count() or 1)
