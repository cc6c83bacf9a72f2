"""The hidden folder beside the output in which a training keeps its checkpoints until it ends, and of what run.

One run at a time holds it. Checkpoints of a run with other arguments or data are never gone on with by accident.
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
    """What makes two runs the same run: `claims` counts those of the split. `id` and `revision`, that of the code,
    are those of its beginning and do not count.
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
    """The folder, and the run with its id. It is removed when the work in it ended well.

    Raises InputError when it holds another run, BusyError when one is at work in it, OutputError.
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
    """Whether this very run is kept there, unfinished."""
    held = _read(_folder(output) / RUN)
    return held is not None and held.is_same(run)


def _folder(output: Path) -> Path:
    return output.with_name(f".{output.name}.training")


def _begun(folder: Path, run: Run, *, overwrite: bool) -> Run:
    """The run that the folder holds, or this one, which begins."""
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
