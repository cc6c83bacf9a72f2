"""A folder that appears whole or not at all, as `src/atomic_file.py` writes files."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from src.atomic_file import sync
from src.errors import OutputError


@contextmanager
def whole_folder(folder: Path) -> Iterator[Path]:
    """A path for a folder to be made at; it takes the place of `folder` when the block ends well, else it goes.

    What stood there is never removed before; a kill between two renames leaves it as `.NAME.old`. Raises OutputError.
    """
    aside, old = (folder.with_name(f".{folder.name}.{end}") for end in ("tmp", "old"))
    try:
        shutil.rmtree(aside, ignore_errors=True)
        yield aside
        for path in aside.rglob("*"):
            sync(path)
        if folder.exists():
            shutil.rmtree(old, ignore_errors=True)
            folder.rename(old)
        aside.rename(folder)
        sync(folder.parent)
    except OSError as error:
        raise OutputError(f"cannot write {folder}: {error.strerror or error}") from None
    finally:
        shutil.rmtree(aside, ignore_errors=True)
        if folder.exists():
            shutil.rmtree(old, ignore_errors=True)
