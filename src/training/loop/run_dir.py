"""The hidden run folder beside the output, in which a training keeps its checkpoints and their run until it ends.

A lock allows one run at a time. A run with other arguments or data never continues from these checkpoints.
"""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from src.atomic_file import write_whole
from src.errors import BusyError, InputError
from src.file_lock import lock
from src.json_decoding import decode
from src.runner.manifest import revision
from src.training.recipe import Recipe

RUN = "run.json"


class Run(msgspec.Struct, frozen=True):
    """The identity of a run. Two runs are the same if all fields but `id` and `revision` are equal.

    `claims` has the numbers of claims of the split. `id` and `revision` (of the code) are set when the run begins.
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


@contextmanager
def workplace(output: Path, run: Run, *, overwrite: bool) -> Iterator[tuple[Path, Run]]:
    """Yield the locked run folder, and the run with its id. The folder is removed when the block ends without error.

    Raises InputError when the folder has another run, BusyError when it is locked, and OutputError when it cannot be
    written.
    """
    folder = _folder(output)
    try:
        descriptor = lock(folder / "lock")
    except BusyError:
        raise BusyError(f"another run is training {output}") from None
    try:
        yield folder, _begun(folder, run, overwrite=overwrite)
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(descriptor)


def is_begun(output: Path, run: Run) -> bool:
    """Return True if the run folder of the output has this run, unfinished."""
    held = _read(_folder(output) / RUN)
    return held is not None and held.is_same(run)


def _folder(output: Path) -> Path:
    return output.with_name(f".{output.name}.training")


def _begun(folder: Path, run: Run, *, overwrite: bool) -> Run:
    """Return the run that the folder has, or begin this one.

    Raises InputError when the folder has another run and `overwrite` is False.
    """
    path = folder / RUN
    if overwrite:
        path.unlink(missing_ok=True)
    held = _read(path)
    if held is None:
        for checkpoint in folder.glob("checkpoint-*"):
            shutil.rmtree(checkpoint)
        held = msgspec.structs.replace(run, id=secrets.token_hex(8), revision=revision())
        write_whole(path, msgspec.json.encode(held))
    elif not held.is_same(run):
        raise InputError(
            "an unfinished run with other arguments or data is kept here; --overwrite begins anew", path=path
        )
    return held


def _read(path: Path) -> Run | None:
    try:
        return decode(path.read_bytes(), Run)
    except (OSError, msgspec.DecodeError):
        return None
