"""A driver for tests of services: asks questions, and writes the answers to MARKS/answers.json.

An answer is the worker's process and the question.

A question `kill` ends its worker every time, `once` the first time (a file in MARKS says so); `fatal` raises an error
that ends the run, `fail` another one.

    python -m tests.runner.services_driver ADDRESS MARKS KEY=QUESTION …
"""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import msgspec

from src.errors import FatalError, InputError
from src.runner.cluster.services import Services
from src.settings import ClusterSettings

MODULE = "tests.runner.services_driver"


@asynccontextmanager
async def opened(marks: Path) -> AsyncIterator[Callable[[str], Awaitable[tuple[int, str]]]]:
    if (marks / "unusable").exists():
        raise InputError("a package is missing")

    async def answer(question: str) -> tuple[int, str]:
        await asyncio.sleep(0.05)
        if question == "kill" or (question == "once" and not (marks / "once").exists()):
            (marks / "once").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if question == "fatal":
            raise FatalError("cannot go on")
        if question == "fail":
            raise ValueError("as asked")
        return os.getpid(), question

    yield answer
    (marks / f"closed {os.getpid()}").touch()


async def answers(address: str, marks: Path, asked: list[str]) -> list[object]:
    settings = ClusterSettings(ray=address, actor_cpus=1)
    async with Services(partial(opened, marks), settings, {}, "test", quiet=True) as services:
        questions = [services.ask(*one.split("=")) for one in asked]
        results = await asyncio.gather(*questions, return_exceptions=True)
    return [f"{type(one).__name__}: {one}" if isinstance(one, BaseException) else one for one in results]


if __name__ == "__main__":
    results = asyncio.run(answers(sys.argv[1], Path(sys.argv[2]), sys.argv[3:]))
    (Path(sys.argv[2]) / "answers.json").write_bytes(msgspec.json.encode(results))
