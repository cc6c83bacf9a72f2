"""Hidden folder of an unfinished training, beside its output folder: journal, last state and best weights.

    journal          a line for the run, then one for each loss and held-out score (`src/append_only.py`)
    state.pt         weights, optimizer, schedule and random numbers after the last held-out score
    best-STEP.pt     the weights with the best held-out score

The journal's lock allows one run at a time. A training continues from the folder only with the same arguments and data.
"""

import secrets
import shutil
from collections.abc import Mapping
from pathlib import Path
from pickle import UnpicklingError
from types import TracebackType
from typing import Any, Self, TypeVar

import msgspec

from src.append_only import AppendOnlyFile, sealed, unsealed
from src.atomic_file import atomic
from src.errors import BusyError, InputError, one_line
from src.json_decoding import decode
from src.runner.manifest import revision
from src.training.recipe import Recipe

JOURNAL, STATE = "journal", "state.pt"
Tensors = Mapping[str, Any]
Line = TypeVar("Line")


class Run(msgspec.Struct, frozen=True):
    """Identity of a training run. Two runs are the same if all fields but `id` and `revision` are equal.

    `task`: name of the task.
    `recipe`: its recipe.
    `base_sha256`: hash of the base model's weights.
    `data`: hash of each input file.
    `claims`: numbers of claims trained on, held out and left out.
    `id`: random id, set when the run begins.
    `revision`: commit of the code, set when the run begins.
    """

    task: str
    recipe: Recipe
    base_sha256: str | None
    data: dict[str, str]
    claims: dict[str, int]
    id: str = ""
    revision: str | None = None

    def is_same(self, other: "Run") -> bool:
        return msgspec.structs.replace(self, id=other.id, revision=other.revision) == other


class Loss(msgspec.Struct, frozen=True, tag=True):
    """Journal row: the mean training loss since the previous `Loss` row, and the seconds of training so far."""

    step: int
    loss: float
    seconds: float


class Score(msgspec.Struct, frozen=True, tag=True):
    """Journal row: the held-out scores after a step, and the seconds of training so far."""

    step: int
    scores: dict[str, float]
    seconds: float


ROW: Any = Loss | Score


class History(msgspec.Struct, frozen=True):
    """Losses and held-out scores of a training so far.

    `chosen_by`: name of the held-out score that selects the best weights; higher is better.
    """

    losses: list[Loss]
    scores: list[Score]
    chosen_by: str

    @property
    def seconds(self) -> float:
        return max([0.0, *(row.seconds for row in self.losses), *(row.seconds for row in self.scores)])

    @property
    def last_step(self) -> int:
        return max([0, *(row.step for row in self.losses), *(row.step for row in self.scores)])

    @property
    def best(self) -> Score | None:
        """Return the row with the highest score, the first of equals; None without scores."""
        return max(self.scores, key=lambda row: row.scores[self.chosen_by], default=None)

    def patience_is_over(self, patience: int) -> bool:
        """Return True if at least `patience` scores came after the best one."""
        return self.best is not None and len(self.scores) - self.scores.index(self.best) > patience


class RunFolder:
    """The locked folder of a run: `with RunFolder(folder, run) as held:`. It exists until `remove` is called.

    With `overwrite`, an unfinished run in the folder is discarded.

    `run`: The given run, with the id and revision with which it began.
    `state`: The training state to continue from, or None.
    `rows`: The losses and held-out scores up to this state.

    Raises InputError if the folder has another run and `overwrite` is False, BusyError if another process trains in it,
    and OutputError if it cannot be written.
    """

    def __init__(self, folder: Path, run: Run, *, overwrite: bool = False) -> None:
        self.folder = folder
        try:
            self._journal = AppendOnlyFile(folder / JOURNAL)
        except BusyError:
            raise BusyError(f"another run is training in {folder}") from None
        self.rows: list[Loss | Score] = []
        self.state: dict[str, Any] | None = None
        try:
            self.run = self._begun(run) if overwrite else self._resumed(run)
        except BaseException:
            self._journal.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._journal.close()

    def add(self, row: Loss | Score) -> None:
        """Append a row to the journal. A `Score` is synced to disk before this returns."""
        self._journal.append(sealed(msgspec.json.encode(row)), sync=isinstance(row, Score))
        self.rows.append(row)

    def save(self, step: int, state: Tensors, best: Score, weights: Tensors) -> None:
        """Write the training state after a step, whose score must have been added before.

        `best` is the row with the best score so far. If it is that of this step, `weights` are written too, and the
        best weights so far are deleted.
        """
        if best.step == step:
            _write(self._best(step), weights)
        _write(self.folder / STATE, {"step": step, **state})
        self._remove_weights(self._best(best.step))

    def best_weights(self, step: int) -> dict[str, Any]:
        return _read(self._best(step))

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def _best(self, step: int) -> Path:
        return self.folder / f"best-{step}.pt"

    def _remove_weights(self, but: Path | None = None) -> None:
        for path in self.folder.glob("best-*.pt"):
            if path != but:
                path.unlink()

    def _resumed(self, run: Run) -> Run:
        """Return the run in the folder after reading its state and rows; if there is none, begin `run`.

        A state whose rows are missing in the journal is not used: the run begins anew.
        """
        lines = [line for _, line in self._journal.lines()]
        held = _read_line(lines[0], Run) if lines else None
        if held is None:
            return self._begun(run)
        if not held.is_same(run):
            raise InputError(
                "an unfinished run with other arguments or data is kept here; --overwrite begins anew", path=self.folder
            )
        if (self.folder / STATE).exists():
            self.state = _read(self.folder / STATE)
        last = 0 if self.state is None else self.state["step"]
        end = len(lines[0])
        for line in lines[1:]:
            row = _read_line(line, ROW)
            if row is None or row.step > last:
                break
            self.rows.append(row)
            end += len(line)
        self._journal.cut(end)
        return held if last == (self.rows[-1].step if self.rows else 0) else self._begun(run)

    def _begun(self, run: Run) -> Run:
        self.state = None
        self.rows.clear()
        (self.folder / STATE).unlink(missing_ok=True)
        self._remove_weights()
        self._journal.cut(0)
        begun = msgspec.structs.replace(run, id=secrets.token_hex(8), revision=revision())
        self._journal.append(sealed(msgspec.json.encode(begun)))
        return begun


def run_folder_of(output: Path) -> Path:
    """Return the run folder of an output folder: `out/reranker` -> `out/.reranker.training`."""
    return output.with_name(f".{output.name}.training")


def is_begun(output: Path, run: Run) -> bool:
    """Return True if the output's run folder has this run, begun and unfinished."""
    try:
        with (run_folder_of(output) / JOURNAL).open("rb") as file:
            held = _read_line(file.readline(), Run)
    except OSError:
        return False
    return held is not None and held.is_same(run)


def _read_line(line: bytes, kind: type[Line]) -> Line | None:
    """Decode a line of the journal; return None if it is damaged or of another version."""
    body = unsealed(line)
    try:
        return None if body is None else decode(body, kind)
    except msgspec.DecodeError:
        return None


def _write(path: Path, content: Tensors) -> None:
    import torch

    with atomic(path) as file:
        torch.save(dict(content), file)


def _read(path: Path) -> dict[str, Any]:
    import torch

    try:
        content: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    except (OSError, RuntimeError, ValueError, EOFError, UnpicklingError) as error:
        raise InputError(f"cannot be read ({one_line(str(error))}); --overwrite begins anew", path=path) from None
    return content
