"""Fault injection: runs something with a fault at its n-th call to the disk.

The calls are what a run does to files: write, sync, truncate, rename, unlink. A fault comes before or after its call; a
write may also be cut in the middle.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

CALLS = ((os, "write"), (os, "fsync"), (os, "ftruncate"), (Path, "replace"), (Path, "unlink"))
WHEN = ("before", "in", "after")


@contextmanager
def fault_at(number: int, when: str, fault: Callable[[], None], names: set[str] | None = None) -> Iterator[list[str]]:
    """Call `fault` at the call to the disk with this index (from 0); yield the names of the calls so far."""
    made: list[str] = []

    def watched(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **options: Any) -> Any:
            made.append(name)
            if len(made) - 1 != number:
                return call(*args, **options)
            if when == "in" and name == "write":
                call(args[0], args[1][: len(args[1]) // 2])
            if when == "after":
                call(*args, **options)
            return fault()

        return run

    with pytest.MonkeyPatch.context() as patch:
        for owner, name in CALLS:
            if names is None or name in names:
                patch.setattr(owner, name, watched(name, getattr(owner, name)))
        yield made


def killed_at(number: int, when: str, run: Callable[[], int]) -> bool:
    """Run in a child process that exits without cleanup at the call `number`. Return False if it ended earlier."""
    child = os.fork()
    if child == 0:
        code = 70
        try:
            with fault_at(number, when, lambda: os._exit(99)):
                code = run()
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, 99)
    return code == 99
