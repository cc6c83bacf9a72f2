"""The checkpoints of a running training: one folder for a step, with a mark when all its files are on disk.

The newest and the best are kept. A folder without a mark was being written or removed when the run was killed. It is
not used.
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
    """Sync the checkpoint of that step to disk, mark it as whole, and remove all others but the best."""
    for path in folder_of(folder, step).iterdir():
        sync(path)
    write_whole(folder_of(folder, step) / WHOLE, b"")
    for other in _folders(folder):
        if other not in (folder_of(folder, step), folder_of(folder, best_step)):
            _remove(other)


def newest(folder: Path) -> Path | None:
    """Return the last checkpoint that is whole, and remove those that are not."""
    for other in _folders(folder):
        if not (other / WHOLE).is_file():
            _remove(other)
    return max(_folders(folder), key=_step, default=None)


def last_rows(checkpoint: Path | None) -> list[dict[str, Any]]:
    """Return the rows that the Trainer had logged up to a checkpoint; none without a checkpoint."""
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
