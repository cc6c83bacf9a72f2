"""What stands beside trained weights: `training.json`, which says what they were trained from, how, and how they did.

An adapter is a folder in peft's own format with this file; it means nothing without the very base that it was trained
from.

The file is read and checked here. `kept/output.py`, `mean_of_runs.py` and `fit_together.py` of `src/training` write it.
"""

import re
from pathlib import Path
from typing import Annotated, Any

import msgspec

from src.errors import InputError
from src.store import read_json

TRAINED = "training.json"
TOGETHER = "together.json"


class Trained(msgspec.Struct, frozen=True, omit_defaults=True):
    """`base_sha256` is the hash of the base's weight file, or of all of them together (`src/models/base_model.py`).

    `layout` names how the input text is built, `labels` the classes in the order of the logits (none for a language
    model), `data` maps each file that was read to its hash. `biases`, one a class, are added to the log-probabilities
    before the best class is taken; the probabilities stay as they are. `scores` are those on held-out claims, `claims`
    how many were trained on, held out and left out. `mean_of` are the seeds of the runs whose mean the weights are.
    """

    task: str
    base: str
    base_sha256: str | None
    layout: str
    max_length: Annotated[int, msgspec.Meta(ge=1)]
    seed: int
    recipe: dict[str, Any]
    data: dict[str, str]
    scores: dict[str, float]
    labels: tuple[str, ...] = ()
    temperature: Annotated[float, msgspec.Meta(gt=0)] = 1.0
    biases: tuple[float, ...] = ()
    floors: dict[str, float] = {}
    claims: dict[str, int] = {}
    mean_of: tuple[int, ...] = ()
    revision: str | None = None
    packages: dict[str, str] = {}


class Together(msgspec.Struct, frozen=True, omit_defaults=True):
    """How several runs of one training decide: `members` are the hashes of their weights, the first one's first; the
    mean of their log-probabilities is divided by `temperature`, and `biases` are added as with one model alone.
    `scores` are those on held-out claims, `data` maps each file that was read to its hash.
    """

    members: tuple[str, ...]
    temperature: Annotated[float, msgspec.Meta(gt=0)]
    biases: tuple[float, ...] = ()
    scores: dict[str, float] = {}
    floors: dict[str, float] = {}
    data: dict[str, str] = {}


def is_trained(folder: Path) -> bool:
    """Whether the folder says how it was trained."""
    return (folder / TRAINED).is_file()


def trained_folders(folder: Path) -> list[Path]:
    """The folder itself, then the `seed_N` in it that hold other runs of its training, by N."""
    named = {seed: re.fullmatch(r"seed_(\d+)", seed.name) for seed in folder.glob("seed_*")}
    numbers = {seed: int(match[1]) for seed, match in named.items() if match and is_trained(seed)}
    return [folder, *sorted(numbers, key=numbers.__getitem__)]


def read_together(folder: Path) -> Together | None:
    """None where nothing was fitted. Raises InputError."""
    path = folder / TOGETHER
    return read_json(path, Together) if path.is_file() else None


def read_trained(folder: Path, task: str | None = None) -> Trained:
    """The record of a folder; of that task, where one is named. Raises InputError."""
    path = folder / TRAINED
    found = read_json(path, Trained)
    if task is not None and found.task != task:
        raise InputError(f"was trained for {found.task}, not for {task}", path=path, field="task")
    return found
