"""The results file, `results.jsonl`, with a line for every training that ended.

Tables are built from all of its lines (`src/training/show_results.py`).

Limitations: lines are only appended, never changed or deleted.
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
    """Line of the results file: the result of a training.

    `run`: random id, drawn when the training begins.
    `task`, `recipe`, `base`: names of task, recipe and base model.
    `seed`: random seed.
    `share`: share of the training claims that was used.
    `settings`: the recipe.
    `data`: hash of each input file.
    `revision`: commit of the code.
    `device`: torch device.
    `examples`: number of training examples.
    `steps`, `planned_steps`: numbers of steps that were done and planned.
    `best_step`: step with the best held-out score.
    `ended`: reason for the end: all steps done, no better for a while, or out of time.
    `seconds`: time of the training with its held-out scores.
    `final_seconds`: time of the final scores.
    `scores`: scores on held-out claims.
    `baselines`: scores of baselines on the held-out claims.
    `claims`: numbers of claims trained on, held out and left out.
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
    baselines: dict[str, float] = msgspec.field(name="floors", default_factory=dict)
    claims: dict[str, int] = {}


def append_result(result: Result, path: Path = RESULTS) -> None:
    """Append a result to the results file, unless the file has a line with its `run`.

    A run that was killed after appending, and then continued, thus has one line. Runs that end at the same time wait
    for each other. Raises OutputError when the file cannot be written.
    """
    with AppendOnlyFile(path, wait=True) as file:
        whole = _whole_lines(file)
        if f'"run": "{result.run}"'.encode() not in whole:
            file.append((b"" if whole.endswith(b"\n") or not whole else b"\n") + encode_line(result))


def check_results(path: Path) -> None:
    """Check before a training that its result can be appended to the results file.

    Raises OutputError when the file cannot be written, InputError when its lines are invalid.
    """
    with AppendOnlyFile(path, wait=True) as file:
        is_empty = not _whole_lines(file)
    if not is_empty:
        read_results(path)


def _whole_lines(file: AppendOnlyFile) -> bytes:
    """Return the file's complete lines, and remove a last line that a killed process left incomplete."""
    held = file.read()
    whole = without_half_line(held, b'{"run": ')
    file.cut(len(whole))
    return whole


def read_results(path: Path = RESULTS) -> list[Result]:
    """Read the results file. Raises InputError when a line is invalid."""
    return read_records(path, Result)


def alike(results: Sequence[Result]) -> list[list[Result]]:
    """Group results whose runs differ only in the seed; groups are in the order of their first run."""
    groups: dict[str, list[Result]] = {}
    for result in results:
        groups.setdefault(_but_for_the_seed(result.task, result.settings, result.data, result.claims), []).append(
            result
        )
    return list(groups.values())


def runs_of(trained: Trained, results: Sequence[Result]) -> list[Result]:
    """Return the results of the runs that made a trained model, or differ from it only in the seed."""
    wanted = _but_for_the_seed(trained.task, trained.recipe, trained.data, trained.claims)
    return [one for one in results if _but_for_the_seed(one.task, one.settings, one.data, one.claims) == wanted]


def _but_for_the_seed(task: str, settings: dict[str, Any], data: dict[str, str], claims: dict[str, int]) -> str:
    rest = {name: value for name, value in settings.items() if name != "seed" and value is not None}
    return f"{task} {sorted(rest.items())} {sorted(data.items())} {sorted(claims.items())}"
