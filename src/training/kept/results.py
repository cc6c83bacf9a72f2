"""`results.jsonl`: one line for every training that ended, so that tables are built from what was run and all of it.

But: a line is never changed; `src/training/show_results.py` makes the tables.
"""

import fcntl
import os
from pathlib import Path
from typing import Any

import msgspec

from src.errors import OutputError
from src.llm.weights import PRETRAINED
from src.store import encode_line, read_records

RESULTS = PRETRAINED / "results.jsonl"


class Result(msgspec.Struct, frozen=True):
    """`run` is drawn when a training begins. `scores` and `floors` are those on held-out claims; `settings` the recipe;
    `claims` how many were trained on, held out, left out.

    `ended` says why: all steps, no better for a while, or out of time. `seconds` are those of training and its held-out
    scores; `final_seconds` of what was scored at the end.
    """

    run: str
    task: str
    recipe: str
    base: str
    seed: int
    share: float
    settings: dict[str, Any]
    data: dict[str, str]
    revision: str | None
    device: str
    examples: int
    steps: int
    planned_steps: int
    best_step: int
    ended: str
    seconds: float
    final_seconds: float
    scores: dict[str, float]
    floors: dict[str, float] = {}
    claims: dict[str, int] = {}


def append_result(result: Result, path: Path = RESULTS) -> None:
    """Adds the line, unless that run has one: a run that was killed right after it does not stand there twice.

    Runs that end together wait for each other. Raises OutputError.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            held = file.read()
            whole = held[: held.rfind(b"\n") + 1]
            os.ftruncate(file.fileno(), len(whole))  # a line that a kill left half-written goes
            if f'"run": "{result.run}"'.encode() in whole:
                return
            file.write(encode_line(result))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}") from None


def read_results(path: Path = RESULTS) -> list[Result]:
    """Raises InputError."""
    return read_records(path, Result)
