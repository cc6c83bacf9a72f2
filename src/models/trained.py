"""The records beside trained weights: `training.json` (base model, recipe and scores) and `together.json` (ensemble).

An adapter is a folder in peft's format with a `training.json`. It works only with the base model that it was trained
from.

This module reads and checks both files. In `src/training`, `output_folder.py` and `mean_of_runs.py` write
`training.json`, and `fit_together.py` writes `together.json`.
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
    """The record of a training, `training.json`.

    `task`: what the model was trained for.
    `base`, `base_sha256`: name of the base model, and hash of its weights.
    `layout`: name of the format of the inputs.
    `max_length`: maximum number of tokens of an input.
    `seed`: random seed of the training.
    `recipe`: hyperparameters of the training.
    `data`: hash of each input file.
    `scores`: scores on held-out claims.
    `labels`: the classes in the order of the logits; none for a model that writes text.
    `temperature`: logits are divided by it before the softmax.
    `biases`: one per class, added to the log-probabilities to choose the class; probabilities do not include them.
    `baselines`: scores of baselines on the held-out claims.
    `claims`: numbers of claims trained on, held out and left out.
    `mean_of`: seeds of the runs whose mean the weights are; empty for a single run.
    `revision`: commit of this repository.
    `packages`: versions of Python packages.
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
    baselines: dict[str, float] = msgspec.field(name="floors", default_factory=dict)
    claims: dict[str, int] = {}
    mean_of: tuple[int, ...] = ()
    revision: str | None = None
    packages: dict[str, str] = {}


class Together(msgspec.Struct, frozen=True, omit_defaults=True):
    """The record of an ensemble of several runs of one training, `together.json`.

    `members`: hashes of the runs' weights, in the order of the runs.
    `temperature`: the mean of the runs' log-probabilities is divided by it.
    `biases`: one per verdict, added to the log-probabilities to choose the verdict.
    `scores`: scores on held-out claims.
    `baselines`: scores of baselines on the held-out claims.
    `data`: hash of each input file.
    """

    members: tuple[str, ...]
    temperature: Annotated[float, msgspec.Meta(gt=0)]
    biases: tuple[float, ...] = ()
    scores: dict[str, float] = {}
    baselines: dict[str, float] = msgspec.field(name="floors", default_factory=dict)
    data: dict[str, str] = {}


def is_trained(folder: Path) -> bool:
    """Return True if the folder has a `training.json`."""
    return (folder / TRAINED).is_file()


def trained_folders(folder: Path) -> list[Path]:
    """Return the folders of all runs of a training: the folder itself, then its subfolders `seed_N`, sorted by N."""
    named = {seed: re.fullmatch(r"seed_(\d+)", seed.name) for seed in folder.glob("seed_*")}
    numbers = {seed: int(match[1]) for seed, match in named.items() if match and is_trained(seed)}
    return [folder, *sorted(numbers, key=numbers.__getitem__)]


def read_together(folder: Path) -> Together | None:
    """Read the `together.json` of a folder; return None if it has none. Raises InputError when the file is invalid."""
    path = folder / TOGETHER
    return read_json(path, Together) if path.is_file() else None


def read_trained(folder: Path, task: str | None = None) -> Trained:
    """Read the `training.json` of a folder.

    Raises InputError when it is missing, invalid, or of another task than `task`.
    """
    path = folder / TRAINED
    record = read_json(path, Trained)
    if task is not None and record.task != task:
        raise InputError(f"was trained for {record.task}, not for {task}", path=path, field="task")
    return record
