"""`results.jsonl`: one line for every training that ended, so that tables are built from what was run and all of it.

But: a line is never changed; `src/training/show_results.py` makes the tables.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from src.append_only import AppendOnlyFile, without_half_line
from src.llm.weights import PRETRAINED
from src.models.trained import Trained
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
    """Add the line, unless that run has one: a run that was killed right after it does not stand there twice.

    Runs that end together wait for each other. Raises OutputError.
    """
    with AppendOnlyFile(path, wait=True) as file:
        whole = _whole_lines(file)
        if f'"run": "{result.run}"'.encode() not in whole:
            file.append((b"" if whole.endswith(b"\n") or not whole else b"\n") + encode_line(result))


def check_results(path: Path) -> None:
    """Raises OutputError or InputError where a line could not be added, so that no training ends in vain."""
    with AppendOnlyFile(path, wait=True) as file:
        is_empty = not _whole_lines(file)
    if not is_empty:
        read_results(path)


def _whole_lines(file: AppendOnlyFile) -> bytes:
    """Return its lines; one that a kill left half-written goes."""
    held = file.read()
    whole = without_half_line(held, b'{"run": ')
    file.cut(len(whole))
    return whole


def read_results(path: Path = RESULTS) -> list[Result]:
    """Raises InputError."""
    return read_records(path, Result)


def alike(results: Sequence[Result]) -> list[list[Result]]:
    """Runs that differ in nothing but the seed, in order of their first run."""
    groups: dict[str, list[Result]] = {}
    for result in results:
        groups.setdefault(_but_for_the_seed(result.task, result.settings, result.data, result.claims), []).append(
            result
        )
    return list(groups.values())


def runs_of(trained: Trained, results: Sequence[Result]) -> list[Result]:
    """The runs that differ from a trained model in nothing but the seed, in order."""
    wanted = _but_for_the_seed(trained.task, trained.recipe, trained.data, trained.claims)
    return [one for one in results if _but_for_the_seed(one.task, one.settings, one.data, one.claims) == wanted]


def _but_for_the_seed(task: str, settings: dict[str, Any], data: dict[str, str], claims: dict[str, int]) -> str:
    rest = {name: value for name, value in settings.items() if name != "seed" and value is not None}
    return f"{task} {sorted(rest.items())} {sorted(data.items())} {sorted(claims.items())}"
