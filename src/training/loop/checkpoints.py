"""Checkpoints of a training that is under way: one folder for a step, with a mark once all its files are there.

Kept are the newest and the best. A folder without its mark was being written, or being removed, when the run was
killed; it counts for nothing.
"""

import shutil
from pathlib import Path
from typing import Any

from src.atomic_file import sync, write_whole
from src.store import read_json

WEIGHTS = "weights.safetensors"
WHOLE = "whole"  # the mark
STATE = "trainer_state.json"


def folder_of(folder: Path, step: int) -> Path:
    return folder / f"checkpoint-{step}"


def finish(folder: Path, step: int, best_step: int) -> None:
    """Marks the checkpoint of that step as whole once it is on disk; all others but the best go."""
    for path in folder_of(folder, step).iterdir():
        sync(path)
    write_whole(folder_of(folder, step) / WHOLE, b"")
    for other in _folders(folder):
        if other not in (folder_of(folder, step), folder_of(folder, best_step)):
            _remove(other)


def newest(folder: Path) -> Path | None:
    """The last checkpoint that is whole; what is not whole goes."""
    for other in _folders(folder):
        if not (other / WHOLE).is_file():
            _remove(other)
    return max(_folders(folder), key=_step, default=None)


def last_rows(checkpoint: Path | None) -> list[dict[str, Any]]:
    """What the Trainer had logged by then."""
    if checkpoint is None:
        return []
    state = read_json(checkpoint / STATE, dict[str, Any])
    rows: list[dict[str, Any]] = state["log_history"]
    return rows


def _folders(folder: Path) -> list[Path]:
    return [path for path in folder.glob("checkpoint-*") if path.is_dir()]


def _step(checkpoint: Path) -> int:
    return int(checkpoint.name.rpartition("-")[2])


def _remove(checkpoint: Path) -> None:
    (checkpoint / WHOLE).unlink(missing_ok=True)
    shutil.rmtree(checkpoint)
